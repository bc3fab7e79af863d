package io.fibry.bench;

import io.fibry.Stereotypes;
import io.fibry.bench.report.Report;
import io.fibry.bench.report.Row;
import io.fibry.bench.report.Samples;
import io.fibry.bench.report.Unit;
import io.fibry.net.TcpOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Measures the memory of an idle TCP connection, and how soon a new one is served beside many of them. */
final class TcpIdle implements Experiment {
    private static final byte[] REQUEST = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int ASKED = 200;

    @Override
    public String name() {
        return "tcp-idle";
    }

    @Override
    public String what() {
        return "the heap that each of 10,000 idle connections takes, and how soon a new one is answered";
    }

    @Override
    public String checks() {
        return "all are connected when it is measured, and each new connection is answered";
    }

    @Override
    public void run(Settings settings, Report report) throws IOException, InterruptedException {
        int count = settings.count(10_000, 10_000, 200);
        var clients = new ArrayList<Socket>();
        try {
            var measured = ChildJvm.run(List.of("-Xmx1g", "-XX:+UseSerialGC"), TcpIdle.class,
                    List.of("" + count), line -> connect(line, count, clients, report));
            var who = "%,d idle connections".formatted(count);
            report.add(row(who + ", each", Unit.lower("bytes of heap"), measured.get("bytes"))
                    .withMustBe("<= 6,144"));
            report.add(row("a new one answered after, median", Unit.lower("ms"), measured.get("median")));
            report.add(row("a new one answered after, worst of " + ASKED, Unit.lower("ms"),
                    measured.get("worst")));
        } finally {
            for (var client : clients) {
                client.close();
            }
        }
    }

    private static Row row(String group, Unit unit, double value) {
        return new Row(group, Peers.FIBERS, unit, Samples.of(value));
    }

    /** Connects when the child asks for it, and shows its other output. */
    private static void connect(String line, int count, List<Socket> clients, Report report) {
        if (!line.startsWith("port ")) {
            report.progress(line);
            return;
        }
        try {
            for (int i = 0; i < count; i++) {
                clients.add(connected(Integer.parseInt(line.substring(5))));
            }
        } catch (IOException e) {
            report.progress("%,d connections, then %s; the limit of open files (ulimit -n) must be higher"
                    .formatted(clients.size(), e.getMessage()));
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Socket connected(int port) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    /** Runs in the child: serves, and measures when all clients have connected. */
    public static void main(String[] args) throws IOException, InterruptedException {
        int count = Integer.parseInt(args[0]);
        var all = new CountDownLatch(2 * count);
        var options = TcpOptions.localPort(0).maxConnections(count + 1);
        var server = Stereotypes.fibers().tcpAcceptorSilent(options, conn -> {
            all.countDown();
            HelloWorker.once(conn);
        }, null);
        // As many connections come and go before, as on a server that has run for a while: an idle connection keeps the
        // stack of its virtual thread, and interpreted frames are larger than compiled ones.
        for (int i = 0; i < count; i++) {
            ask(server.port());
        }
        var before = Heap.live();
        System.out.println("port " + server.port());
        all.await();
        ChildJvm.result("bytes", (double) (Heap.live() - before) / count);
        var millis = new double[ASKED];
        for (int i = 0; i < ASKED; i++) {
            var start = System.nanoTime();
            ask(server.port());
            millis[i] = (System.nanoTime() - start) / 1e6;
        }
        var samples = Samples.of(millis);
        ChildJvm.result("median", samples.median());
        ChildJvm.result("worst", samples.high());
        Runtime.getRuntime().halt(0);
    }

    private static void ask(int port) throws IOException {
        try (var client = connected(port)) {
            client.getOutputStream().write(REQUEST);
            var answer = client.getInputStream().readAllBytes();
            if (!new String(answer, StandardCharsets.US_ASCII).endsWith("Hello!")) {
                throw new IOException("got " + answer.length + " bytes that do not say hello");
            }
        }
    }
}
