package io.fibry.inside;

import io.fibry.Actor;
import io.fibry.AskTimeoutException;
import io.fibry.Reply;
import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import io.fibry.net.HttpRoutes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** What the server answers: the files of the page, and what the page asks for. */
final class PageRoutes {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** Less than a browser has. */
    private static final Duration LIST_PATIENCE = Duration.ofSeconds(10);
    private static final int MOST_DIGITS = 15;
    private static final int LATE = 503;
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self';"
            + " img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
            + " frame-ancestors 'none'; require-trusted-types-for 'script'";

    private final AccessCheck access;
    private final Actor<Sampler.Wish, Reply> sampler;
    private final EventFeed feed;
    private final List<Actor<HttpCall, HttpAnswer>> worklists;

    PageRoutes(AccessCheck access, Actor<Sampler.Wish, Reply> sampler, EventFeed feed,
            List<Actor<HttpCall, HttpAnswer>> worklists) {
        this.access = access;
        this.sampler = sampler;
        this.feed = feed;
        this.worklists = worklists;
    }

    HttpRoutes routes() {
        return HttpRoutes.none()
                .get("/", page(file("page.html", "text/html; charset=utf-8")))
                .get("/page.css", admitted(file("page.css", "text/css; charset=utf-8")))
                .get("/page.js", admitted(file("page.js", "text/javascript; charset=utf-8")))
                .get("/icon.svg", admitted(file("icon.svg", "image/svg+xml")))
                .get("/now", admitted(this::now))
                .get("/actors", admitted(this::actors))
                .get("/worklist", admitted(this::worklist))
                .post("/worklist", guarded(access::refusalOfChange, this::worklist))
                .get("/dump.txt", admitted(call -> HttpAnswer.text(sample().dump().text())))
                .get("/dump.json", admitted(call -> HttpAnswer.json(sample().dump().json())));
    }

    private ReplyHandler<HttpCall, HttpAnswer> page(ReplyHandler<HttpCall, HttpAnswer> handler) {
        return guarded(call -> access.welcome(call).or(() -> access.refusalOfPage(call)), handler);
    }

    private ReplyHandler<HttpCall, HttpAnswer> admitted(ReplyHandler<HttpCall, HttpAnswer> handler) {
        return guarded(access::refusal, handler);
    }

    /** Each answer is for the page alone, and no other site may show it or read it. */
    private static ReplyHandler<HttpCall, HttpAnswer> guarded(
            Function<HttpCall, Optional<HttpAnswer>> instead,
            ReplyHandler<HttpCall, HttpAnswer> handler) {
        return call -> {
            var other = instead.apply(call);
            var answer = other.isPresent() ? other.get() : handler.handle(call);
            return answer.header("Content-Security-Policy", POLICY)
                    .header("X-Content-Type-Options", "nosniff")
                    .header("X-Frame-Options", "DENY")
                    .header("Referrer-Policy", "no-referrer")
                    .header("Cross-Origin-Resource-Policy", "same-origin")
                    .header("Cross-Origin-Opener-Policy", "same-origin")
                    .header("Cache-Control", "no-store");
        };
    }

    private static ReplyHandler<HttpCall, HttpAnswer> file(String name, String type) {
        try (var in = PageRoutes.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(
                        "the file " + name + " of the page is missing in fibry-inside");
            }
            var answer = HttpAnswer.bytes(type, in.readAllBytes());
            return call -> answer;
        } catch (IOException e) {
            throw new UncheckedIOException("the file " + name + " of the page cannot be read", e);
        }
    }

    private HttpAnswer now(HttpCall call) throws ExecutionException, InterruptedException {
        var sample = sample();
        var isKnown = call.query("run").filter(sample.run()::equals).isPresent();
        return HttpAnswer.json(PageJson.now(sample, isKnown ? number(call, "point") : 0,
                number(call, "scopes"), feed, number(call, "event"), worklists.size()));
    }

    private HttpAnswer actors(HttpCall call) throws ExecutionException, InterruptedException {
        var scope = sample().scope(call.query("scope").orElse(""));
        return scope.map(row -> HttpAnswer.json(PageJson.actors(row, number(call, "from"))))
                .orElseGet(() -> HttpAnswer.text("There is no such scope any more.\n").status(404));
    }

    private HttpAnswer worklist(HttpCall call) throws Exception {
        var number = number(call, "list");
        if (number >= worklists.size()) {
            return HttpAnswer.text("The page has no such list.\n").status(404);
        }
        try {
            return HttpRoutes.asking(worklists.get((int) number), LIST_PATIENCE).handle(call);
        } catch (HttpProblem late) {
            throw late.getCause() instanceof AskTimeoutException && call.method().equals("POST")
                    ? WorklistHandler.late(call, number + 1, late) : late;
        }
    }

    private Sample sample() throws ExecutionException, InterruptedException {
        try {
            return sampler.requestWait(new Sampler.Look(), PATIENCE);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AskTimeoutException) {
                throw new HttpProblem(LATE, "the sample is late; try again later", e);
            }
            throw e;
        }
    }

    /** Returns the number in a parameter; zero if there is none. */
    private static long number(HttpCall call, String name) {
        var text = call.query(name).orElse("0");
        if (!text.matches("[0-9]{1," + MOST_DIGITS + "}")) {
            throw new HttpProblem(400, name + " must be a number");
        }
        return Long.parseLong(text);
    }
}
