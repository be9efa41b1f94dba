"""Exercise 11: who asks, what they may, whose the task is, and what no log may say.

An Authority (lessons/authorization.py) has issuer, audience (this server's URL), key,
algorithm ("HS256") and metadata_url.  A token is header.claims.signature, each part in
base64url without padding; unbase64(text) reads one and raises ValueError for anything else.
The signature is hmac.digest(key, b"header.claims", "sha256").
"""
import hmac
import json
import re

from lessons.authorization import AUDIT, Forbidden, Unauthorized, unbase64

HIDDEN = "[redacted]"

# ---- the server: whose task, whose token -------------------------------------------


def own_row(db, columns, task_id, owner):
    """SELECT these columns (a text for the SELECT) of the task in mcp_tasks, if it belongs to
    `owner`, (tenant, subject), in tenant_id and subject_id.  Else None, as if it never was.
    """
    raise NotImplementedError("own_row")


def bearer(headers):
    """The token in headers["authorization"] (names are lower-cased): "Bearer TOKEN".

    The word Bearer in any case, then blanks, then the token: letters, digits and -._~+/ of
    ASCII, and maybe = at the end.  Raises Unauthorized(message, error="") for anything else.
    """
    raise NotImplementedError("bearer")


def verify(token, authority, now_s):
    """The claims (a dict) of a token; raises Unauthorized(message) unless all this holds.

    - Three parts; header and claims are JSON objects.
    - The header's alg is the authority's algorithm, and it has no "crit".
    - The signature is right; compare it with hmac.compare_digest.
    - iss is the authority's issuer.  aud is its audience, or a list that has it.
    - exp is a finite number (not a bool), and still to come; nbf, if the key is there, is
      such a number too, and has come.
    No message tells the token, or what would have been right.
    """
    raise NotImplementedError("verify")


def owner_of(claims):
    """(tenant, sub) of the claims, both texts that are not empty and isprintable(); raises Unauthorized."""
    raise NotImplementedError("owner_of")


def require_scopes(claims, needed):
    """Raises Forbidden(needed) unless the claim `scope`, words in one text, has all of `needed`.

    A claim that is missing or no text has none.
    """
    raise NotImplementedError("require_scopes")


def challenge(authority, error="", scopes=(AUDIT,), description=""):
    """The header WWW-Authenticate: Bearer error="...", scope="...", resource_metadata="...", error_description="..."

    Fields that are empty are left out; scopes are separated by blanks; a " inside a value
    becomes '.
    """
    raise NotImplementedError("challenge")


# ---- the client: whose code, whose credentials -------------------------------------


def check_issuer(expected, metadata, response):
    """Called before a code is exchanged; raises ValueError if the response is not to be used.

    expected: the issuer noted before the user was sent away.  metadata: the authorization
    server's document.  response: the parameters that came back.  A response with iss must
    have the expected one, to the letter; an error that came back is checked too, before
    anybody sees it.  One without iss is refused if the metadata's
    authorization_response_iss_parameter_supported is true.
    """


def client_id_for(issuer, metadata, registered, document_url):
    """How a client makes itself known to this authorization server; the first that can be:

    ("registered", credentials)   registered, issuer -> credentials, has some of this issuer
    ("document", document_url)    there is one, and client_id_metadata_document_supported is true
    ("register", endpoint)        the metadata have a registration_endpoint
    ("ask", None)
    """
    raise NotImplementedError("client_id_for")


# ---- what no log may say -----------------------------------------------------------


def redact(value):
    """A copy of a JSON value in which nothing secret is left; HIDDEN stands in its place.

    Secret is, at any depth:
    - what stands under a key, in any case, that has authorization, token, secret, passw,
      api_key, api-key, apikey, cookie, credential or signature in it; and the second of a
      pair ["Name", value] with such a name;
    - in a text: what follows such a name and : or =, up to the end of the line and of lines
      that go on with a blank (or, if the name is in quotes, up to the end of the value's
      quotes); what follows Bearer, Basic or Digest, up to the end of the line; query and
      fragment of a URL, and what stands between its // and the last @ before its path; words
      that begin with eyJ.  A key is a text too.
    - the same in a text that is itself JSON, an object or a list: it stays JSON, and a text.
      What json.loads cannot read, nesting that is too deep included, is a plain text.
    A long word must not take long.  A pattern that begins with [\\w.-]+ starts again at each
    of its letters; (?<![\\w.-]) before it forbids that.
    """
    return value
