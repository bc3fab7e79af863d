package io.fibry.examples;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Simulates many devices in a process of their own. Each device connects, measures, and executes commands. */
public final class DeviceSimulator implements AutoCloseable {
    private final ActorScope scope = ActorSystem.configure("simulator").closeTimeout(Duration.ZERO)
            .listener(event -> {
            }).open();
    private final AtomicInteger connected = new AtomicInteger();
    private final int port;
    private final Duration pause;

    DeviceSimulator(int port, Duration pause) {
        this.port = port;
        this.pause = pause;
    }

    /**
     * Runs devices until standard input ends, which happens at the end of the gateway that has started this process.
     *
     * @param args the gateway's port, how many devices, and the milliseconds between two readings of one
     * @throws IOException if standard input cannot be read
     */
    public static void main(String[] args) throws IOException {
        try (var simulator =
                new DeviceSimulator(Integer.parseInt(args[0]), Duration.ofMillis(Long.parseLong(args[2])))) {
            simulator.start(Integer.parseInt(args[1]));
            while (System.in.read() >= 0) {
                // only the end of the input has a meaning
            }
        }
        System.exit(0);
    }

    void start(int devices) {
        for (int i = 0; i < devices; i++) {
            var id = "device-" + i;
            Stereotypes.with(scope.anonymous()).runOnceSilent(() -> live(id));
        }
    }

    int connected() {
        return connected.get();
    }

    private void live(String id) throws IOException, InterruptedException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            say(socket, "hello " + id);
            connected.incrementAndGet();
            var hands = Stereotypes.with(scope.anonymous()).runOnceSilent(() -> obey(socket));
            try {
                measure(socket);
            } finally {
                hands.askExit();
                connected.decrementAndGet();
            }
        }
    }

    private void measure(Socket socket) throws IOException, InterruptedException {
        var random = ThreadLocalRandom.current();
        double celsius = random.nextDouble(15, 30);
        Thread.sleep(random.nextLong(pause.toMillis() + 1)); // so that not all devices send at the same moment
        while (true) {
            celsius = Math.clamp(celsius + random.nextDouble(-1, 1), 10, 36);
            say(socket, "t " + Math.round(celsius * 10) / 10.0);
            Thread.sleep(pause);
        }
    }

    private static void obey(Socket socket) throws IOException {
        var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII),
                64);
        for (var command = in.readLine(); command != null; command = in.readLine()) {
            say(socket, "ok " + command);
        }
    }

    /** Writes one line by one call, since two actors may write at the same time. */
    private static void say(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() {
        scope.close();
    }
}
