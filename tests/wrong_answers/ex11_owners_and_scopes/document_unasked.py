# caught by: checks_whose_code_it_is/document_unsupported
"""Sends its document to servers that cannot read one."""
from lessons.ex11_owners_and_scopes.solution import *


def client_id_for(issuer, metadata, registered, document_url):
    if issuer in registered:
        return "registered", registered[issuer]
    if document_url:
        return "document", document_url
    if metadata.get("registration_endpoint"):
        return "register", metadata["registration_endpoint"]
    return "ask", None
