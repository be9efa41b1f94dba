"""What the command line does with the 2026 server: open it, make tokens for it, and kill one of two.

main.py stays the first lesson; whoever has only that file has none of this.
"""
from __future__ import annotations

import argparse
import pathlib
import re
import sys
import time
from typing import Any

import main
from main import UsageError


def open_server(options: argparse.Namespace) -> Any:
    """The 2026 server; with --mine, of the learner's answers where they have passed as they stand."""
    if options.store:
        raise UsageError(f"--store goes with the lesson dialect; for --wire {main.MODERN} write --db {options.store}")
    if not options.db and not options.mine:
        raise UsageError(f"--wire {main.MODERN} needs a database; write for example --db lab.db")
    from lessons import observing, pieces
    from lessons.server_2026 import Server2026
    parts = pieces_of_mine() if options.mine else pieces.solutions()
    observing.log_json(parts.owners.redact)
    database = options.db or main.default_folder().with_suffix(".db")
    return Server2026(database, options.port, options.workers, pieces=parts, authority=options.auth and authority(options.auth))


def pieces_of_mine() -> Any:
    """The learner's pieces where they have passed, with a line for each that says whose it is."""
    from lessons import commands, pieces
    parts = pieces.gathered(commands.passed_piece)
    commands.show_pieces()
    return parts


def authority(file: str) -> Any:
    """Whose tokens a server takes, from a file that no tool may read."""
    from lessons.authorization import read_authority
    main.KEPT_BACK.add(pathlib.Path(file).resolve())
    try:
        return read_authority(file)
    except ValueError as error:
        raise UsageError(str(error)) from None


def command_token(options: argparse.Namespace) -> int:
    """a classroom bearer token for --auth servers"""
    from lessons import authorization
    if not pathlib.Path(options.auth).exists():
        try:
            authorization.make_authority(options.auth, options.audience or f"http://127.0.0.1:{main.PORT}{main.PATH}")
        except OSError as error:
            raise UsageError(f"{options.auth} cannot be written ({error.strerror})") from None
        print(f"{options.auth} is new, with a key of its own; start the server with --auth {options.auth}", file=sys.stderr)
    trusted = authority(options.auth)
    if options.audience not in (None, trusted.audience):
        raise UsageError(f"{options.auth} is for {trusted.audience}; for another audience make another file")
    print(authorization.issue(trusted, time.time(), options.subject, options.tenant, tuple(options.scope.split()), options.lives))
    return main.FINE


def command_two_instances(options: argparse.Namespace) -> int:
    """the second tour: two servers on one database, of which one is killed"""
    from lessons.two_instances import SecondTour
    found = SecondTour(options.seed).run()
    return main.FINE if (found["status"], found["reports"], found["tasks"]) == ("completed", 1, 1) else main.CHECK_FAILED


def seconds(text: str) -> int:
    """For --lives; 0 makes a token that is over already."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return int(text)


def add_to(commands: Any) -> None:
    """Adds these commands to main.py's parser."""
    def add(name: str, run: Any) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        return command
    add_token_options(add("token", command_token))
    add("two-instances", command_two_instances).add_argument("--seed", type=int, default=1, help="decides when one is killed (default 1)")


def add_token_options(token: argparse.ArgumentParser) -> None:
    """What `token` can be told."""
    token.add_argument("--auth", metavar="FILE", default="auth.json", help="the authority; made if it is not there (default auth.json)")
    token.add_argument("--audience", metavar="URL", help=f"of a new authority: the server's URL (default http://127.0.0.1:{main.PORT}{main.PATH})")
    token.add_argument("--subject", default="ana", help="whose token it is")
    token.add_argument("--tenant", default="classroom")
    token.add_argument("--scope", default="sites:audit sites:publish files:read",
                       help="separated by blanks (default: sites:audit sites:publish files:read, which lets a tool read a folder)")
    token.add_argument("--lives", type=seconds, default=3600, metavar="S", help="seconds until it expires (default 3600)")
