package io.fibry.bench;

import com.sun.management.OperatingSystemMXBean;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.web.WebOptions;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.WebServer;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures small answers over HTTP/1.1: the servers of fibry-core and fibry-web, against the bare servers of the JDK and of Helidon, of
 * which fibry-web has parts. All of them are in this JVM, and the load program is not: the processor time of a round is that of the
 * server that is asked.
 */
final class WebHello implements Experiment {
    private static final String TEXT = "Hello World!";

    @Override
    public String name() {
        return "web-hello";
    }

    @Override
    public String what() {
        return "HTTP answers of 12 bytes by wrk: our two servers against the bare ones of the JDK and Helidon, in turns";
    }

    @Override
    public String checks() {
        return "the load program reports no failed request";
    }

    @Override
    public Duration quickTime() {
        return Duration.ofSeconds(8);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        var program = LoadProgram.wrk(settings.pick(5, 1, 1), settings.pick(100, 100, 4));
        if (!program.isInstalled()) {
            report.note(program.howToGetIt());
            return;
        }
        var helidon = helidon();
        var jdk = HttpHelloExperiment.bare();
        try (var scope = ActorSystem.open("web-hello");
                var core = Stereotypes.with(scope.anonymous()).embeddedHttpServer(HttpOptions.localPort(0),
                        call -> TEXT);
                var web = io.fibry.web.WebServer.start(scope.anonymous(), WebOptions.localPort(0),
                        HttpRoutes.none().get("/", call -> HttpAnswer.text(TEXT)))) {
            compare(program, settings, report, core.port(), web.port(), jdk.getAddress().getPort(),
                    helidon.port());
        } finally {
            helidon.stop();
            jdk.stop(0);
        }
    }

    /** Makes Helidon's server, with the same headers as ours. */
    private static WebServer helidon() {
        // Otherwise it lets this process read no serialized object any more, and JMH talks to its processes by these.
        System.setProperty("helidon.serialFilter.missing.action", "ignore");
        var text = TEXT.getBytes(StandardCharsets.UTF_8);
        return WebServer.builder().address(InetAddress.getLoopbackAddress()).port(0).shutdownHook(false)
                .routing(routing -> routing.get("/", (request, response) -> {
                    response.header(HeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8");
                    response.send(text);
                })).build().start();
    }

    private static void compare(LoadProgram program, Settings settings, Report report, int corePort,
            int webPort,
            int jdkPort, int helidonPort) throws Exception {
        var cpu = new LinkedHashMap<Line, Samples>();
        var core = of(program, "Fibry, embeddedHttpServer", corePort, cpu);
        var web = of(program, "fibry-web", webPort, cpu);
        var jdk = of(program, "JDK's server, virtual threads", jdkPort, cpu);
        var helidon = of(program, "Helidon's server", helidonPort, cpu);
        var rows = new Turns(Unit.higher("requests/s"), settings.pick(4, 1, 0), settings.pick(15, 1, 1))
                .run(List.of(core, web, jdk, helidon), settings, report);
        for (var ours : List.of(core, web)) {
            Turns.ratio(rows, ours, jdk, ">= 1.15", report);
            Turns.ratio(rows, ours, helidon, ">= 1.0", report);
        }
        rows.forEach((line, row) -> {
            var all = cpu.get(line).values();
            var samples = new Samples();
            // A run that is short of time leaves out warm-ups.
            all.stream().skip(all.size() - row.samples().values().size()).forEach(samples::add);
            report.add(new Row(line.group(), line.peer(), Unit.lower("µs of CPU a request"), samples));
        });
    }

    private static Line of(LoadProgram program, String peer, int port, Map<Line, Samples> cpu) {
        var used = new Samples();
        var line = Line.of(program.asText(), peer, (settings, samples) -> {
            var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            var before = system.getProcessCpuTime();
            var begun = System.nanoTime();
            var rate = program.run(port);
            used.add((system.getProcessCpuTime() - before) / (rate * (System.nanoTime() - begun) / 1e6));
            samples.add(rate);
        });
        cpu.put(line, used);
        return line;
    }
}
