package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Stereotypes;
import io.fibry.net.Connection;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The gateway. Each device has a TCP connection that stays open, and an actor. A device sends {@code hello ID}, then
 * {@code t CELSIUS} again and again, and answers each command with {@code ok}.
 *
 * <p>Look at {@code serve} and {@code send}: a loop that blocks reads, and an actor that handles commands one at a time
 * writes. While they wait, neither of them holds a thread of the system.
 */
final class DeviceGateway implements AutoCloseable {
    /** A time that is longer than any pause of a healthy device. */
    private static final Duration SILENCE = Duration.ofMinutes(2);
    private static final Duration ASK = Duration.ofSeconds(5);
    /** A device that does not read its commands loses them; the gateway does not wait for it. */
    private static final MailboxPolicy COMMANDS = MailboxPolicy.bounded(16, OverflowPolicy.reject());

    private final ActorScope scope = ActorSystem.configure("gateway").closeTimeout(Duration.ofSeconds(2))
            .listener(event -> {
            }).open();
    private final Map<String, Actor<String, Void>> devices = new ConcurrentHashMap<>();
    private final DeviceBoard state = new DeviceBoard();
    /** Runs code on the state of the board. No other code touches that state. */
    private final Actor<Object, Void> board = Stereotypes.with(scope.named("board")).sink(null);
    private final Server server;

    private DeviceGateway(int port, int most) {
        try {
            server = Stereotypes.with(scope.anonymous().mailbox(COMMANDS)).<String>tcpAcceptorSilent(
                    TcpOptions.localPort(port).maxConnections(most).idleTimeout(SILENCE), this::serve,
                    this::send,
                    null);
        } catch (UncheckedIOException portIsTaken) {
            scope.close();
            throw portIsTaken;
        }
    }

    /** Starts a gateway. The port 0 stands for any free port. */
    static DeviceGateway start(int port, int mostDevices) {
        return new DeviceGateway(port, mostDevices);
    }

    private void serve(Connection<String> connection) throws Exception {
        var in = new BufferedReader(
                new InputStreamReader(connection.socket().getInputStream(), StandardCharsets.US_ASCII), 256);
        var hello = in.readLine();
        if (hello == null || !hello.startsWith("hello ")) {
            return;
        }
        var id = hello.substring("hello ".length());
        // First, so that a device that is shown as online gets each command.
        devices.put(id, connection.actor());
        var slot = board.execFuture(state::join);
        try {
            read(in, slot.get());
        } finally {
            devices.remove(id, connection.actor());
            var unused = slot.thenAccept(joined -> board.execAsync(() -> state.leave(joined)));
        }
    }

    private void read(BufferedReader in, int slot) throws IOException {
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("t ")) {
                double celsius = Double.parseDouble(line.substring(2));
                board.execAsync(() -> state.reading(slot, celsius));
            } else if (line.startsWith("ok")) {
                board.execAsync(state::commandAnswered);
            }
        }
    }

    /** Handles a command for a device, in the actor of the device. */
    private void send(Connection<String> connection, String command) throws IOException {
        connection.socket().getOutputStream().write((command + "\n").getBytes(StandardCharsets.US_ASCII));
        board.execAsync(state::commandSent);
    }

    /** Sends a command to a device. Returns false if the device is not connected, or is behind with its commands. */
    boolean command(String id, String command) {
        var device = devices.get(id);
        return device != null && device.sendMessage(command);
    }

    /** Sends a command to all devices. Returns how many have received it. */
    long commandAll(String command) {
        return devices.values().stream().filter(device -> device.sendMessage(command)).count();
    }

    DeviceBoard.Snapshot snapshot() throws Exception {
        return board.execFuture(state::snapshot).get(ASK.toMillis(), TimeUnit.MILLISECONDS);
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
        scope.close();
    }
}
