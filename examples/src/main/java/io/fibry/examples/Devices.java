package io.fibry.examples;

import com.sun.management.UnixOperatingSystemMXBean;
import io.fibry.Actor;
import io.fibry.ActorSystem;
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
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

/** An IoT gateway with a live page, and simulated devices beside it. {@link DeviceGateway} has the actors. */
public final class Devices {
    private static final int MOST = 60_000;
    /** The number of files that a JVM has open besides its connections. */
    private static final int OTHER_FILES = 200;
    private static final long REFRESH_MILLIS = 250;

    private Devices() {
    }

    /**
     * Runs gateway, page and simulator until Ctrl-C.
     *
     * @param args see {@code --help}
     * @throws Exception if the simulator cannot be started
     */
    public static void main(String[] args) throws Exception {
        var options = Options.read(args, Option.port(8080),
                new Option("--device-port", "8090", "where devices connect; 0 takes any free port"),
                new Option("--devices", "2_000", "how many are simulated; try 20_000"),
                new Option("--pause", "2_000", "milliseconds between two readings of a device"),
                new Option("--only-actors", "0",
                        "makes so many device actors without sockets instead; try 1_000_000"));
        int onlyActors = options.number("--only-actors", 0, 100_000_000);
        if (onlyActors > 0) {
            System.out.println(withoutSockets(onlyActors));
            return;
        }
        int devices = allowed(options.number("--devices", 0, MOST));
        int pause = options.number("--pause", 10, 100_000);
        var gateway = DeviceGateway.start(options.port("--device-port"), MOST);
        var page = page(options.port(), gateway);
        var simulator = simulate(gateway.port(), devices, pause);
        System.out.printf(
                """
                        %1$,d devices are connecting to 127.0.0.1:%2$d; see http://127.0.0.1:%3$d/

                        Try in another terminal:
                          curl http://127.0.0.1:%3$d/stats                              counts
                          curl -X POST "http://127.0.0.1:%3$d/command?to=device-7&do=blink"   a command for one device
                          curl -X POST "http://127.0.0.1:%3$d/command?do=blink"               a command for all
                          printf 'hello me\\nt 21.5\\n' | nc -q 60 127.0.0.1 %2$d              be a device, and read commands
                        """,
                devices, gateway.port(), page.port());
        CtrlC.closes(simulator::destroy, page, gateway);
    }

    /** Serves the page, its events, and commands. This server is stopped before the gateway. */
    static Server page(int port, DeviceGateway gateway) {
        var html = Page.of(Devices.class, "devices.html");
        try {
            return Stereotypes.fibers().embeddedHttpServer(HttpOptions.localPort(port), HttpRoutes.none()
                    .get("/", call -> HttpAnswer.html(html))
                    .get("/stats", call -> HttpAnswer.json(gateway.snapshot().json()))
                    .get("/live", call -> HttpAnswer.events(events -> {
                        while (true) { // until the client goes, or the server stops
                            events.send(gateway.snapshot().json());
                            Thread.sleep(REFRESH_MILLIS);
                        }
                    }))
                    .post("/command", call -> {
                        var command =
                                call.query("do").filter(text -> text.matches("[a-z]{1,20}")).orElse("blink");
                        var to = call.query("to").orElse("");
                        long sent = to.isEmpty()
                                ? gateway.commandAll(command)
                                : gateway.command(to, command) ? 1 : 0;
                        return HttpAnswer.text(sent + " devices were told to " + command + "\n");
                    }));
        } catch (UncheckedIOException portIsTaken) {
            gateway.close();
            throw portIsTaken;
        }
    }

    /** Returns how many of the wanted devices are possible, since each connection is an open file. */
    private static int allowed(int wanted) {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix)
                || unix.getMaxFileDescriptorCount() >= wanted + OTHER_FILES) {
            return wanted;
        }
        int allowed = (int) unix.getMaxFileDescriptorCount() - OTHER_FILES;
        System.out.printf("%,d connections need more open files than the %,d this system allows a process:"
                + " %,d it is. ulimit -n %d in this shell raises the limit, if you may.%n", wanted,
                unix.getMaxFileDescriptorCount(), allowed, wanted + OTHER_FILES);
        return allowed;
    }

    /** Starts the simulator in a JVM of its own, which has a limit of open files and processor time of its own. */
    static Process simulate(int port, int devices, int pause) throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), DeviceSimulator.class.getName(), String.valueOf(port),
                String.valueOf(devices), String.valueOf(pause))
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static final class Twin {
        private double celsius;
        private int readings;

        String read(double value) {
            celsius = value;
            return "reading " + ++readings + " is " + celsius;
        }
    }

    /** Shows how many actors are possible where sockets are not the limit. */
    static String withoutSockets(int count) throws Exception {
        try (var scope = ActorSystem.open("twins")) {
            long before = usedMegabytes();
            long start = System.nanoTime();
            var twin = scope.anonymous().state(Twin::new);
            var twins = new ArrayList<Actor<Double, String>>(count);
            for (int i = 0; i < count; i++) {
                twins.add(twin.newActorWithReturn(Twin::read));
            }
            long made = System.nanoTime();
            for (var each : twins) {
                each.sendMessage(20.5);
            }
            var last = twins.getLast().sendMessageReturn(36.6).get();
            long handled = System.nanoTime();
            long memory = usedMegabytes() - before;
            for (var each : twins) {
                each.close(); // handles what is queued, and waits
            }
            return "%,d device actors: made in %,d ms, %,d MB; %,d messages handled in %,d ms; %s"
                    .formatted(count, TimeUnit.NANOSECONDS.toMillis(made - start), memory,
                            scope.counters().handled(), TimeUnit.NANOSECONDS.toMillis(handled - made), last);
        }
    }

    private static long usedMegabytes() {
        System.gc();
        return (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20;
    }
}
