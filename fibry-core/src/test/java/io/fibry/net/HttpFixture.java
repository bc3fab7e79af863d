package io.fibry.net;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorScope;
import io.fibry.Stereotypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What tests of the HTTP server share. */
final class HttpFixture {
    private HttpFixture() {
    }

    static Stereotypes in(ActorScope scope) {
        return Stereotypes.with(scope.anonymous());
    }

    /** Any free port of this machine, and not of others. */
    static HttpOptions local() {
        return HttpOptions.localPort(0);
    }

    /** How many files and sockets this JVM has open; -1 where that cannot be seen. */
    static long descriptors() throws IOException {
        var folder = Path.of("/proc/self/fd");
        if (!Files.isDirectory(folder)) {
            return -1;
        }
        try (var files = Files.list(folder)) {
            return files.count();
        }
    }

    /** What is logged by the servers while it is open. */
    static final class Log implements AutoCloseable {
        private final Logger logger = (Logger) LoggerFactory.getLogger("io.fibry.net.http");
        private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

        Log() {
            lines.start();
            logger.addAppender(lines);
        }

        List<ILoggingEvent> events() {
            return List.copyOf(lines.list);
        }

        @Override
        public void close() {
            logger.detachAppender(lines);
        }
    }
}
