package io.fibry.examples.market;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.examples.frame.CtrlC;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.examples.frame.Page;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.web.WebOptions;
import io.fibry.web.WebServer;
import io.fibry.web.WebSocketOptions;
import io.fibry.web.WebSocketRoute;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/**
 * A market with a live page. Look at {@link Marketplace} for the orders, the pool that matches them and what is published, and at
 * {@link Visitor} for the pages, of which none can slow down the market.
 */
public final class Market implements AutoCloseable {
    private static final List<String> SYMBOLS = List.of("TEA", "COFFEE", "COCOA");
    private static final int PAGES = 200;
    private static final WebSocketOptions LIMITS = WebSocketOptions.standard().messageBytes(200)
            .outbound(MailboxPolicy.bounded(8, OverflowPolicy.block())).closeLimit(Duration.ofSeconds(2));

    private final ActorScope scope =
            ActorSystem.configure("market").closeTimeout(Duration.ofSeconds(2)).listener(event -> {
            }).open();
    private final ActorScope traders = scope.child("traders").open();
    private final Marketplace exchange;
    private final Server server;

    private Market(int port, int virtualTraders, Duration lifetime) {
        var html = Page.of(Market.class, "market.html");
        exchange = new Marketplace(scope, SYMBOLS, lifetime, Duration.ofSeconds(2));
        var routes = HttpRoutes.none()
                .get("/", call -> HttpAnswer.html(html))
                .get("/live", WebSocketRoute.opening(call -> new Visitor(scope, exchange)).with(LIMITS));
        try {
            server = WebServer.start(scope.anonymous(),
                    WebOptions.localPort(port).connections(PAGES).connectionsPerClient(PAGES),
                    routes);
        } catch (UncheckedIOException portIsTaken) {
            scope.close();
            throw portIsTaken;
        }
        for (int i = 1; i <= virtualTraders; i++) {
            VirtualTrader.open(traders, i, exchange, Duration.ofMillis(600));
        }
    }

    static Market start(int port, int virtualTraders, Duration lifetime) {
        return new Market(port, virtualTraders, lifetime);
    }

    int port() {
        return server.port();
    }

    Marketplace exchange() {
        return exchange;
    }

    @Override
    public void close() {
        traders.close();
        server.stop(Duration.ofSeconds(1));
        exchange.close();
        scope.close();
    }

    /**
     * Serves until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var options = Options.read(args, Option.port(8080),
                new Option("--traders", "12", "how many virtual traders"),
                new Option("--lifetime", "60", "after how many seconds an order expires"));
        var market = start(options.port(), options.number("--traders", 0, 500),
                Duration.ofSeconds(options.number("--lifetime", 1, 3_600)));
        System.out.printf("""
                http://127.0.0.1:%1$d/   trade with the virtual traders
                """, market.port());
        CtrlC.closes(market);
    }
}
