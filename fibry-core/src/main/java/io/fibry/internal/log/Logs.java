package io.fibry.internal.log;

import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Where all loggers of the library come from. They are those of slf4j; if slf4j has no provider, and so would say nothing,
 * warnings and errors go to the {@link UnboundLog}. A provider that was chosen to say nothing is taken at its word.
 */
public final class Logs {
    private static final @Nullable UnboundLog UNBOUND =
            isBoundToNothing() ? new UnboundLog(Logs::now, System::getLogger) : null;

    private Logs() {
    }

    /**
     * A logger. The names are listed in docs/guide.md.
     *
     * @param name its name
     * @return the logger
     */
    public static Logger of(String name) {
        return UNBOUND == null ? LoggerFactory.getLogger(name) : UNBOUND.logger(name);
    }

    /** The clock has a logger too, and may just be made for it: it is there when the first line is. */
    private static long now() {
        return System.nanoTime();
    }

    private static boolean isBoundToNothing() {
        return LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory
                && System.getProperty("slf4j.provider") == null && !isAnyProviderThere();
    }

    /** Looks where slf4j looks. */
    private static boolean isAnyProviderThere() {
        try {
            return ServiceLoader.load(SLF4JServiceProvider.class, LoggerFactory.class.getClassLoader())
                    .stream()
                    .findAny().isPresent();
        } catch (RuntimeException | Error unusable) { // slf4j has said so, and goes on without it
            return false;
        }
    }
}
