package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(120)
@ExtendWith(ThreadsLeft.class)
class DevicesTest {
    private final DeviceGateway gateway = DeviceGateway.start(0, 1_000);

    @AfterEach
    void stop() {
        gateway.close();
    }

    /** A device in the hands of a test. */
    private final class Device implements AutoCloseable {
        private final Socket socket = new Socket("127.0.0.1", gateway.port());
        private final BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));

        Device(String id) throws IOException {
            socket.setSoTimeout(60_000);
            say("hello " + id);
        }

        void say(String line) throws IOException {
            socket.getOutputStream().write((line + "\n").getBytes());
        }

        String hear() throws IOException {
            return in.readLine();
        }

        void leave() throws IOException {
            socket.close();
        }

        @Override
        public void close() throws IOException {
            leave();
        }
    }

    private void until(Predicate<DeviceBoard.Snapshot> reached) {
        await().pollInSameThread().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20))
                .until(gateway::snapshot, reached);
    }

    @Test
    void readingsGoUpAndCommandsGoDown() throws Exception {
        try (var device = new Device("ann")) {
            device.say("t 21.5");
            device.say("t 10");
            until(board -> board.readings() == 2);
            assertThat(gateway.snapshot().online()).isOne();
            assertThat(gateway.snapshot().cells()).startsWith("a.");

            assertThat(gateway.command("ann", "blink")).isTrue();
            assertThat(gateway.command("bob", "blink")).isFalse();
            assertThat(device.hear()).isEqualTo("blink");
            device.say("ok blink");
            until(board -> board.answered() == 1 && board.commands() == 1);
        }
        until(board -> board.online() == 0 && board.cells().startsWith("."));
        assertThat(gateway.command("ann", "blink")).isFalse();
    }

    @Test
    void whoComesBackTakesOverItsName() throws Exception {
        try (var before = new Device("ann")) {
            until(board -> board.online() == 1);
            try (var after = new Device("ann")) {
                until(board -> board.online() == 2);
                before.leave();
                until(board -> board.online() == 1);
                assertThat(gateway.command("ann", "blink")).isTrue();
                assertThat(after.hear()).isEqualTo("blink");
            }
        }
    }

    @Test
    void aDeviceThatTalksNonsenseHurtsNobody() throws Exception {
        try (var good = new Device("good"); var bad = new Device("bad"); var silent = new Device("x")) {
            until(board -> board.online() == 3);
            bad.say("t warm");
            silent.socket.setSoLinger(true, 0);
            silent.leave();
            assertThat(bad.hear()).isNull();
            good.say("t 20");
            until(board -> board.online() == 1 && board.readings() == 1);
        }
    }

    @Test
    void fiveHundredDevicesAreTold() throws Exception {
        try (var simulator = new DeviceSimulator(gateway.port(), Duration.ofMillis(100))) {
            simulator.start(500);
            until(board -> board.online() == 500 && board.readings() > 2_000);

            assertThat(gateway.commandAll("blink")).isEqualTo(500);
            until(board -> board.answered() == 500);
        }
        until(board -> board.online() == 0);
        assertThat(gateway.snapshot().cells()).containsOnlyOnce(".".repeat(2_048));
    }

    @Test
    void thePageShowsWhatHappensLive() throws Exception {
        try (var page = Devices.page(0, gateway);
                var client = HttpClient.newHttpClient();
                var device = new Device("ann")) {
            var root = "http://127.0.0.1:" + page.port();
            assertThat(client
                    .send(HttpRequest.newBuilder(URI.create(root + "/")).build(), BodyHandlers.ofString())
                    .body()).contains("EventSource('/live')");
            var live = client.send(HttpRequest.newBuilder(URI.create(root + "/live")).build(),
                    BodyHandlers.ofLines()).body().iterator();
            device.say("t 36");
            String line;
            do {
                line = live.next();
            } while (!line.contains("\"online\":1,\"readings\":1"));
            assertThat(line).contains("\"cells\":\"z...");
            var told = client.send(HttpRequest.newBuilder(URI.create(root + "/command?to=ann&do=beep"))
                    .POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
            assertThat(told.body()).isEqualTo("1 devices were told to beep\n");
            assertThat(device.hear()).isEqualTo("beep");
            client.shutdownNow();
        }
    }

    @Test
    void actorsWithoutSocketsGoFurther() throws Exception {
        assertThat(Devices.withoutSockets(100_000)).startsWith("100,000 device actors: made in ")
                .contains("; 100,001 messages handled").endsWith("reading 2 is 36.6");
    }
}
