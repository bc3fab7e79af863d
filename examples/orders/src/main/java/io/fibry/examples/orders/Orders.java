package io.fibry.examples.orders;

import io.fibry.Stereotypes;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.examples.frame.Page;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Sends more and more orders to a PostgreSQL database that can serve 133 orders a second through four connections.
 *
 * <p>Compare {@link ActorShop} with {@link BlockingShop}, and look at the page while the example runs. The bounded
 * mailboxes refuse some orders at once, so the others stay fast. What matters is that there is a limit, not where it is: {@link SemaphoreShop},
 * virtual threads with a semaphore, is as good. The same customers go to all three.
 */
public final class Orders {
    private static final long REFRESH_MILLIS = 250;

    private Orders() {
    }

    /**
     * Runs the load, and shows it on a page until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws Exception if there is no database
     */
    public static void main(String[] args) throws Exception {
        var options = Options.read(args, Option.port(8080),
                new Option("--url", "",
                        "a database, as jdbc:postgresql://host/name?user=me; else one is started"),
                new Option("--seconds", "60", "how long the load takes; from 25 on it shows"),
                new Option("--top", "400", "how many orders a second there are at most"));
        int seconds = options.number("--seconds", 2, 600);
        int top = options.number("--top", 20, 2_000);
        int port = options.port();
        var sofar = new CopyOnWriteArrayList<Load.Second>();
        var server = page(port, sofar, seconds, top);
        var database = open(options);
        var blocking = new BlockingShop(database);
        var semaphore = new SemaphoreShop(database);
        var actors = new ActorShop(database);
        System.out.printf("see http://127.0.0.1:%d/%n%s%n%-7s %-8s %-25s %-25s %s%n", server.port(),
                "served in time, the slowest of them, refused at once + given up", "second", "offered",
                "blocking", "virtual threads+semaphore", "actors");
        var load = Stereotypes.fibers().runOnce(() -> {
            Load.run(blocking, semaphore, actors, seconds, top, second -> {
                sofar.add(second);
                System.out.printf("%-7d %-8d %-25s %-25s %s%n", second.number(), second.offered(),
                        text(second.blocking()), text(second.semaphore()), text(second.actors()));
            });
            System.out.println("That was all; the page stays.");
        });
        CtrlC.closes(() -> load.stop(Duration.ZERO), server, actors, semaphore, blocking, database);
    }

    private static Database open(Options options) {
        try {
            return Database.open(options.text("--url"));
        } catch (SQLException | IOException | IllegalStateException e) {
            throw options.wrong("there is no database: " + e.getMessage()
                    + "; where none can be started, give one with --url");
        }
    }

    private static String text(Load.Sample sample) {
        return "%d, %,d ms, %d + %d".formatted(sample.served(), sample.slowestMillis(), sample.refused(),
                sample.failed());
    }

    static Server page(int port, List<Load.Second> sofar, int seconds, int top) {
        var html = Page.of(Orders.class, "orders.html");
        return Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(port), HttpRoutes.none()
                .get("/", call -> HttpAnswer.html(html))
                .get("/live", call -> HttpAnswer.events(events -> {
                    events.send("{\"seconds\":" + seconds + ",\"top\":" + top + "}");
                    int sent = 0;
                    while (true) { // until the client goes, or the server stops
                        while (sent < sofar.size()) {
                            events.send(sofar.get(sent++).json());
                        }
                        Thread.sleep(REFRESH_MILLIS);
                        events.ping();
                    }
                })));
    }
}
