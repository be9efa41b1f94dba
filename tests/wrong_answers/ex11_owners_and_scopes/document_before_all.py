# caught by: checks_whose_code_it_is/not_preferred
"""Forgets the credentials that it has once there is a document."""
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def client_id_for(issuer, metadata, registered, document_url):
    if document_url and metadata.get("client_id_metadata_document_supported") is True:
        return "document", document_url
    return solved.client_id_for(issuer, metadata, registered, document_url)
