# caught by: checks_whose_code_it_is/nothing_left
"""Registers even where there is no place for it."""
from lessons.ex11_owners_and_scopes.solution import *


def client_id_for(issuer, metadata, registered, document_url):
    if issuer in registered:
        return "registered", registered[issuer]
    if document_url and metadata.get("client_id_metadata_document_supported") is True:
        return "document", document_url
    return "register", metadata.get("registration_endpoint")
