# caught by: dials_what_it_has_checked/nothing_found
import json, pathlib, tempfile, functools, time, urllib.request, urllib.error
import main
from lessons.ex12_two_instances import solution as solved
from lessons.ex12_two_instances.solution import *

def address_to_dial(host, port, resolve=socket.getaddrinfo):
    found = [entry[4][0] for entry in resolve(host, port, type=socket.SOCK_STREAM)]
    if not all(may_reach(a, auditing.ALLOWED_NETWORKS) for a in found):
        raise ValueError("x")
    return next(iter(found), None)
