package io.fibry.internal;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;

/**
 * The diagnostic context of the log belongs to a thread; threads run many actors. An actor's turn starts with
 * an empty one, and who ran on the thread before finds its own again.
 */
final class LogContext {
    private static final boolean PRESENT = !(MDC.getMDCAdapter() instanceof NOPMDCAdapter);

    private LogContext() {
    }

    static @Nullable Map<String, String> putAside() {
        if (!PRESENT) {
            return null;
        }
        var context = MDC.getCopyOfContextMap();
        if (context != null) {
            MDC.clear();
        }
        return context;
    }

    static void restore(@Nullable Map<String, String> context) {
        if (!PRESENT) {
            return;
        }
        if (context != null) {
            MDC.setContextMap(context);
        } else if (MDC.getCopyOfContextMap() != null) {
            MDC.clear();
        }
    }
}
