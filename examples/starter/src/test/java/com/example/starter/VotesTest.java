package com.example.starter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fibry.test.ActorTest;
import io.fibry.test.TestSchedule;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VotesTest {
    private static final Votes.Message VOTE = new Votes.Message.Vote("tea");

    /** Two threads vote, in a hundred different orders of their steps. No vote is lost. */
    @ActorTest(seeds = 100)
    void eachVoteCounts(TestSchedule schedule) throws Exception {
        var votes = Votes.actor(schedule.scope());
        var other = schedule.start("other", () -> votes.apply(VOTE));
        votes.apply(VOTE);
        other.join();
        assertEquals(Map.of("tea", 2), votes.apply(new Votes.Message.Show()));
    }

    @Test
    void theServerAnswers() throws Exception {
        try (var server = VoteServer.start(0); var client = HttpClient.newHttpClient()) {
            var uri = URI.create("http://127.0.0.1:" + server.port() + "/votes/tea");
            var post = HttpRequest.newBuilder(uri).POST(BodyPublishers.noBody()).build();
            assertEquals("tea: 1\n", client.send(post, BodyHandlers.ofString()).body());
            assertEquals("tea: 2\n", client.send(post, BodyHandlers.ofString()).body());
        }
    }
}
