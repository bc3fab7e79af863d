package io.fibry.examples.cluster;

import io.fibry.ActorScope;
import io.fibry.examples.frame.Page;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpJson;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.web.WebOptions;
import io.fibry.web.WebServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The page of a node. It is there before the node has joined. */
final class BankPage {
    /** What a process that was killed ends with. */
    private static final int KILLED = 137;
    private static final int LONGEST_NAME = 24;
    private static final int LONGEST_TEXT = 500;
    private static final Duration SOON = Duration.ofMillis(50);
    /** Longer than a lease, so the others have found the node lost when it goes on. */
    private static final int FROZEN_SECONDS = 9;
    /** How long the page of another node may take to answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Logger LOGGER = LoggerFactory.getLogger(BankPage.class);
    private static final String OWN = "X-Cluster-Page";

    private final List<Place> places;
    private final HttpJson json = HttpJson.found();
    private final Clock clock = Clock.systemUTC();
    private volatile Optional<BankNode> node = Optional.empty();

    BankPage(List<Place> places) {
        this.places = places;
    }

    /** What a page shows while its node joins. */
    private record Joining(String joins) {
    }

    /** Shows a node that has joined. */
    void show(BankNode joined) {
        node = Optional.of(joined);
    }

    Server serve(ActorScope scope, Place place) {
        var html = Page.of(BankPage.class, "cluster.html");
        return WebServer.start(scope.anonymous(), WebOptions.localPort(place.page()), HttpRoutes.none()
                .get("/", call -> HttpAnswer.html(html))
                .get("/live", call -> HttpAnswer.events(events -> {
                    while (true) { // until the browser goes, or the server stops
                        var view = node.flatMap(each -> each.board().newest());
                        events.send(view.isPresent() ? json.text(view.get())
                                : json.text(new Joining(place.name())));
                        Thread.sleep(Board.EVERY);
                    }
                }))
                .post("/load", call -> {
                    here().load(call.query("on").orElse("").equals("true"));
                    return HttpAnswer.empty(204);
                })
                .post("/say", call -> {
                    var text = call.text();
                    here().say(shortened(call.query("who").orElse(""), LONGEST_NAME),
                            shortened(text, LONGEST_TEXT), clock.millis());
                    return HttpAnswer.empty(204);
                })
                .post("/halt", call -> {
                    order("halt", call.query("node").orElse(""), place, BankPage::halt);
                    return HttpAnswer.empty(204);
                })
                .post("/freeze", call -> {
                    order("freeze", call.query("node").orElse(""), place, BankPage::freeze);
                    return HttpAnswer.empty(204);
                })
                .before(BankPage::requireOwnPage));
    }

    /** Pages of other sites can make a browser post, but not with a header of their own. */
    private static void requireOwnPage(HttpCall call) {
        if (call.method().equals("POST") && call.header(OWN).isEmpty()) {
            throw new HttpProblem(403, "only the page itself may do this; a program sends the header " + OWN);
        }
    }

    private BankNode here() {
        return node.orElseThrow(() -> new HttpProblem(503, "this node has not joined yet"));
    }

    private static String shortened(String text, int most) {
        if (text.isBlank()) {
            throw new HttpProblem(400, "a name and a text are wanted");
        }
        return text.strip().substring(0, Math.min(most, text.strip().length()));
    }

    /** Does something to the process of a node: this one, or that of another node, which is told by its page. */
    private void order(String what, String name, Place own, Runnable toThis)
            throws IOException, InterruptedException {
        if (name.equals(own.name())) {
            // Soon, so that the answer is on its way.
            Thread.ofVirtual().start(() -> {
                pause();
                toThis.run();
            });
            return;
        }
        var other = places.stream().filter(each -> each.name().equals(name)).findFirst()
                .orElseThrow(() -> new HttpProblem(404, "there is no node '" + name + "'"));
        try (var client = HttpClient.newHttpClient()) {
            var unused = client.send(
                    HttpRequest.newBuilder(URI.create(other.address() + what + "?node=" + name))
                            .timeout(PATIENCE).header(OWN, own.name()).POST(BodyPublishers.noBody()).build(),
                    BodyHandlers.discarding());
        } catch (IOException gone) {
            // It has ended before it could answer, or is frozen, or is not there.
            LOGGER.debug("Node {} does not answer", name, gone);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(SOON);
        } catch (InterruptedException now) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends this process at once, as kill -9 does. */
    private static void halt() {
        Runtime.getRuntime().halt(KILLED);
    }

    /** Stops all threads of this process for a while, as a long pause of a machine does. Another process does it, and lets it go on. */
    private static void freeze() {
        var self = ProcessHandle.current().pid();
        try {
            new ProcessBuilder("sh", "-c",
                    "kill -STOP %d; sleep %d; kill -CONT %d".formatted(self, FROZEN_SECONDS, self)).start();
        } catch (IOException noShell) {
            LOGGER.warn("This system cannot freeze a process", noShell);
        }
    }
}
