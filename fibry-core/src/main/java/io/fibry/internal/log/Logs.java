package io.fibry.internal.log;

import io.fibry.internal.memory.SystemNanos;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Creates all loggers of the library. They are loggers of slf4j. If slf4j has no provider, and so would log nothing,
 * warnings and errors go to {@link UnboundLog} instead. If the application has chosen a provider that logs nothing,
 * nothing is logged.
 */
public final class Logs {
    private static final @Nullable UnboundLog UNBOUND =
            isBoundToNothing() ? new UnboundLog(Logs::now, System::getLogger) : null;

    private Logs() {
    }

    /**
     * Returns a logger. The names are listed in docs/guide.md.
     *
     * @param name the name of the logger
     * @return the logger
     */
    public static Logger of(String name) {
        return UNBOUND == null ? LoggerFactory.getLogger(name) : UNBOUND.logger(name);
    }

    /**
     * Returns the time. The system's clock has a logger too, and the call may come from its initialisation, so this
     * reads the time when the first line is logged and not before.
     */
    private static long now() {
        return SystemNanos.now();
    }

    private static boolean isBoundToNothing() {
        return LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory
                && System.getProperty("slf4j.provider") == null && !isAnyProviderThere();
    }

    /** Tells whether slf4j would find a provider. Searches where slf4j does. */
    private static boolean isAnyProviderThere() {
        try {
            return ServiceLoader.load(SLF4JServiceProvider.class, LoggerFactory.class.getClassLoader())
                    .stream()
                    .findAny().isPresent();
        } catch (RuntimeException | Error unusable) { // slf4j has reported this and goes on without the provider
            return false;
        }
    }
}
