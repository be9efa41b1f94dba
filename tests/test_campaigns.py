"""The long runs, short: each promise is tried a few times with every run of the suite."""
from __future__ import annotations

import unittest
import unittest.mock

from tests import campaigns
from tests.support import LabTest


class Campaigns(LabTest):
    def test_kills_lose_nothing_and_publish_nothing_twice(self):
        figures = campaigns.kills(self.folder, 6, 13)
        self.assertEqual(6, figures["kills"])
        self.assertGreater(figures["tasks"], 10)

    def test_of_all_that_may_end_a_task_one_wins(self):
        figures = campaigns.races(self.folder, 60, 13)
        self.assertGreater(len(figures), 3, figures)

    def test_malformed_requests_are_answered_without_a_fault(self):
        figures = campaigns.malformed(self.folder, 1500, 13)
        self.assertGreater(figures["HTTP 400"], 1000)

    def test_nothing_inside_is_reached_however_it_is_written(self):
        self.assertEqual(0, campaigns.addresses(self.folder, 1, 13)["reached"])

    def test_the_campaign_of_addresses_notices_a_tool_that_goes_inside(self):
        with unittest.mock.patch("tests.campaigns.address_to_dial", lambda host, port: "127.0.0.1"), \
                unittest.mock.patch("lessons.auditing.WITHIN_S", 0.5), self.assertRaises(AssertionError):
            campaigns.addresses(self.folder, 1, 13)

    def test_the_campaign_of_kills_notices_a_publisher_that_forgets_its_keys(self):
        def forgetful(publisher, key, body):
            with publisher.connections.borrow() as db:
                db.execute("INSERT INTO reports VALUES (?, ?, 'x', ?, 0)", (f"rep_{body[:3]}{id(key)}", f"{key}-{id(body)}", body))
            return 201, {"id": "rep_other"}
        with unittest.mock.patch("lessons.publisher.Publisher.publish", forgetful), self.assertRaises(AssertionError):
            campaigns.kills(self.folder, 3, 13)


if __name__ == "__main__":
    unittest.main()
