package io.fibry.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorSystem;
import io.fibry.cluster.database.DatabaseSettings;
import io.fibry.testing.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A program that cannot join prints what its exception says: one line, with what is wrong. */
@Promise("83.1")
class JoinErrorTest {
    @TempDir
    private Path folder;

    private DatabaseSettings file() {
        return DatabaseSettings.of("file:" + folder.resolve("cluster.db"));
    }

    private static void assertRefused(DatabaseSettings settings, int slices, String... texts) {
        var lines = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger("io.fibry.cluster");
        lines.start();
        logger.addAppender(lines);
        try (var scope = ActorSystem.open("joins")) {
            var failure = catchThrowable(
                    () -> Cluster.open(scope, ClusterOptions.on(settings).name("late").slices(slices)));
            assertThat(failure).isInstanceOf(ClusterException.class);
            assertThat(failure.getMessage()).startsWith("The node 'late' could not join its cluster: ")
                    .contains(texts).hasLineCount(1);
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).as("the exception says it all")
                .noneMatch(line -> line.getLevel().isGreaterOrEqual(Level.WARN));
    }

    @Test
    void ofADatabaseThatIsNotThere() throws Exception {
        assertRefused(DatabaseSettings.of("file:" + folder.resolve("none/cluster.db")), 16,
                "none/cluster.db");
        try (var nobody = new Socket()) {
            nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var place = "127.0.0.1:" + nobody.getLocalPort();
            assertRefused(DatabaseSettings.of("jdbc:postgresql://" + place + "/bank?user=u&password=p"), 16,
                    place);
        }
    }

    @Test
    void ofAPortThatAnotherProcessHas() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertRefused(file().listen("127.0.0.1", taken.getLocalPort()), 16,
                    "the port " + taken.getLocalPort() + " of 127.0.0.1 cannot be had", "give another one");
        }
    }

    @Test
    void ofANodeThatIsUnlikeTheOthers() {
        try (var scope = ActorSystem.open("first");
                var first = Cluster.open(scope, ClusterOptions.on(file()).name("first").slices(16))) {
            assertRefused(file(), 32, "32 slices", "'first' into 16");
            assertThat(first.members()).containsExactly(first.self());
        }
    }
}
