package io.fibry.logging;

import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.net.HttpOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** A stranger's first program, in which all goes wrong. With an argument it has an HTTP server too. */
final class StrangerChild {
    private static final int TIMES = 500;

    private StrangerChild() {
    }

    public static void main(String[] args) throws Exception {
        try (var scope = ActorSystem.open("shop")) {
            var ledger = scope.named("ledger").newActor((String order) -> {
                throw new IllegalStateException("no book for " + order);
            });
            for (int n = 0; n < TIMES; n++) {
                ledger.sendMessage("order " + n);
            }
            var gone = scope.named("gone").newActor((String order) -> {
            });
            gone.close();
            for (int n = 0; n < TIMES; n++) {
                gone.sendMessage("too late");
            }
            var quiet = scope.named("quiet").newActorWithReturn((Integer n) -> n);
            System.out.println("answer " + quiet.apply(42));
        }
        if (args.length > 0) {
            Http.run();
        }
        System.out.println("the end");
    }

    /** Apart, as the classes are in modules that need not be there. */
    private static final class Http {
        static void run() throws Exception {
            try (var scope = ActorSystem.open("web");
                    var server = Stereotypes.with(scope.named("front")).embeddedHttpServer(
                            HttpOptions.localPort(0), exchange -> boom(exchange.uri().getPath()));
                    var client = HttpClient.newHttpClient()) {
                for (int n = 0; n < 3; n++) {
                    var answer = client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                            + server.port() + "/boom/" + n)).build(), HttpResponse.BodyHandlers.ofString());
                    System.out.println("status " + answer.statusCode());
                }
            }
        }

        private static String boom(String path) {
            throw new UnsupportedOperationException("no page " + path);
        }
    }
}
