"""Real peers: the official conformance suite and other SDKs, in an environment of their own."""
