# caught by: checks_whose_code_it_is/no_document
"""Uses a document because the server would take one."""
from lessons.ex11_owners_and_scopes.solution import *


def client_id_for(issuer, metadata, registered, document_url):
    if issuer in registered:
        return "registered", registered[issuer]
    if metadata.get("client_id_metadata_document_supported") is True:
        return "document", document_url
    if metadata.get("registration_endpoint"):
        return "register", metadata["registration_endpoint"]
    return "ask", None
