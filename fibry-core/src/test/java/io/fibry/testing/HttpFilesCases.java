package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No files are left for connections, for each server of the library. A server that accepts again and again at once would spin. */
@Tag("once")
public abstract class HttpFilesCases {
    private static final int FILES = 160;
    private static final int CROWD = 300;

    private final Class<?> child;
    private final int connected;

    /**
     * Names the program that serves.
     *
     * @param child calls {@link HttpFiles#run}
     * @param connected how many clients it has that stay connected
     */
    protected HttpFilesCases(Class<?> child, int connected) {
        this.child = child;
        this.connected = connected;
    }

    @BeforeEach
    void canLimitFiles() {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "there is no shell that sets limits");
    }

    @Test
    void aServerWhoseProcessHasNoFilesLeftDoesNotSpinAndServesWhenThereAreSomeAgain() throws Exception {
        var output = Child.withFewFiles(FILES, child, "others");
        assertThat(output).contains("idle: true").doesNotContain("NoClassDefFoundError", "ERROR");
        assertThat(output.lines().filter(line -> line.matches("[a-z ]+(: (\\d+|true|false))?")))
                .containsExactlyElementsOf(
                        Stream.of(times(connected, "before: 200"), List.of("no more files"),
                                times(connected, "meanwhile: 200"), List.of("idle: true"),
                                times(HttpFiles.WAITING, "served: 200"), times(connected, "after: 200"),
                                List.of("stopped: true")).flatMap(List::stream).toList());
    }

    private static List<String> times(int count, String line) {
        return Collections.nCopies(count, line);
    }

    @Test
    void aCrowdOfConnectionsDoesNotTakeAllFiles() throws Exception {
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var crowd = CompletableFuture.runAsync(() -> crowd(listening));
            assertThat(Child.withFewFiles(FILES, child, "" + listening.getLocalPort()))
                    .contains("idle: true").doesNotContain("cannot accept");
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
