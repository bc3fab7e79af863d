package com.example.starter;

import io.fibry.ActorSystem;
import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.Stereotypes;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An HTTP server in front of the actor. */
public final class VoteServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VoteServer.class);

    /** Keeps the program running until Ctrl-C or SIGTERM. Then it handles what is queued, for five seconds at most. */
    private final ActorScope scope = ActorSystem.configure("starter").keepJvmAlive().closeAtShutdown()
            .closeTimeout(Duration.ofSeconds(5)).open();
    private final Actor<Votes.Message, Map<String, Integer>> votes = Votes.actor(scope);
    private final Server server;

    private VoteServer(int port) {
        try {
            server = Stereotypes.with(scope.anonymous()).embeddedHttpServer(HttpOptions.localPort(port), routes());
        } catch (UncheckedIOException portIsTaken) {
            scope.close(); // else it would keep the program running
            throw portIsTaken;
        }
    }

    /** Starts the server on a port of 127.0.0.1; 0 stands for any free port. */
    static VoteServer start(int port) {
        return new VoteServer(port);
    }

    /**
     * Serves until Ctrl-C.
     *
     * @param args none
     */
    public static void main(String[] args) {
        LOG.info("http://127.0.0.1:{}/votes", start(8080).port());
    }

    private HttpRoutes routes() {
        return HttpRoutes.none()
                .get("/votes", call -> HttpAnswer.text(votes.apply(new Votes.Message.Show()) + "\n"))
                .post("/votes/{choice}", call -> {
                    var choice = call.parameter("choice");
                    var counts = votes.apply(new Votes.Message.Vote(choice));
                    LOG.info("choices {}, votes {}", counts.size(), counts.values().stream().mapToInt(n -> n).sum());
                    return HttpAnswer.text(choice + ": " + counts.get(choice) + "\n");
                });
    }

    int port() {
        return server.port();
    }

    /** Ends the server, and then the actor. */
    @Override
    public void close() {
        scope.close();
    }
}
