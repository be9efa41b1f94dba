# caught by: checks_whose_code_it_is/others_credentials
"""Shows one server the credentials of another."""
from lessons.ex11_owners_and_scopes.solution import *


def client_id_for(issuer, metadata, registered, document_url):
    if registered:
        return "registered", next(iter(registered.values()))
    if document_url and metadata.get("client_id_metadata_document_supported") is True:
        return "document", document_url
    if metadata.get("registration_endpoint"):
        return "register", metadata["registration_endpoint"]
    return "ask", None
