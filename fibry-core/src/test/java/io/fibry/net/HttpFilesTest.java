package io.fibry.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Child;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The JDK's engine accepts again and again, without a pause, when there is no file for a connection. */
@Tag("once")
class HttpFilesTest {
    private static final int FILES = 160;
    private static final int CROWD = 300;

    @BeforeEach
    void canLimitFiles() {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "there is no shell that sets limits");
    }

    @Test
    @Promise("14.12")
    void aServerWhoseProcessHasNoFilesLeftDoesNotSpin() throws Exception {
        assertThat(Child.withFewFiles(FILES, HttpFilesChild.class, "others")).contains("idle: true");
    }

    @Test
    @Promise("14.12")
    void aCrowdOfConnectionsDoesNotTakeAllFiles() throws Exception {
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var crowd = CompletableFuture.runAsync(() -> crowd(listening));
            assertThat(Child.withFewFiles(FILES, HttpFilesChild.class, "" + listening.getLocalPort()))
                    .contains("idle: true");
            crowd.join();
        }
    }

    private static void crowd(ServerSocket listening) {
        var clients = new ArrayList<Socket>();
        try (var control = listening.accept();
                var in = new BufferedReader(new InputStreamReader(control.getInputStream()))) {
            control.setSoTimeout(Patience.MILLIS);
            var port = Integer.parseInt(in.readLine());
            for (int i = 0; i < CROWD; i++) {
                clients.add(new Socket(InetAddress.getLoopbackAddress(), port));
            }
            control.getOutputStream().write('\n');
            assertThat(in.read()).as("it has measured, and ends").isNegative();
        } catch (IOException e) {
            throw new AssertionError(e);
        } finally {
            for (var client : clients) {
                try {
                    client.close();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }
}
