package io.fibry.bench;

import io.fibry.ActorSystem;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Unit;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.web.WebOptions;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.WebServer;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Measures small answers of fibry-web over HTTP/1.1, against the bare server of Helidon, of which fibry-web has parts. */
final class WebHello implements Experiment {
    private static final String TEXT = "Hello World!";

    @Override
    public String name() {
        return "web-hello";
    }

    @Override
    public String what() {
        return "HTTP answers of 12 bytes by wrk: fibry-web against Helidon's bare server of the same version, in turns";
    }

    @Override
    public String checks() {
        return "the load program reports no failed request";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(4);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var program = LoadProgram.wrk(settings.pick(5, 1, 1), settings.pick(100, 100, 4));
        if (!program.isInstalled()) {
            report.note(program.howToGetIt());
            return;
        }
        var bare = bare();
        try (var scope = ActorSystem.open("web-hello");
                var ours = io.fibry.web.WebServer.start(scope.anonymous(), WebOptions.localPort(0),
                        HttpRoutes.none().get("/", call -> HttpAnswer.text(TEXT)))) {
            compare(program, settings, report, ours.port(), bare.port());
        } finally {
            bare.stop();
        }
    }

    /** Makes Helidon's server, with the same headers as ours. */
    private static WebServer bare() {
        var text = TEXT.getBytes(StandardCharsets.UTF_8);
        return WebServer.builder().address(InetAddress.getLoopbackAddress()).port(0).shutdownHook(false)
                .routing(routing -> routing.get("/", (request, response) -> {
                    response.header(HeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8");
                    response.send(text);
                })).build().start();
    }

    private static void compare(LoadProgram program, Settings settings, Report report, int ourPort,
            int barePort) throws Exception {
        var ours = of(program, "fibry-web", ourPort);
        var bare = of(program, "Helidon's server", barePort);
        var rows = new Turns(Unit.higher("requests/s"), settings.pick(4, 1, 0), settings.pick(15, 1, 1))
                .run(List.of(ours, bare), settings, report);
        Turns.ratio(rows, ours, bare, ">= 0.97", report);
    }

    private static Line of(LoadProgram program, String peer, int port) {
        return Line.of(program.asText(), peer, (settings, samples) -> samples.add(program.run(port)));
    }
}
