package io.fibry;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Carries the diagnostic context of the log. */
enum MdcCarrier implements ContextCarrier {
    INSTANCE;

    @Override
    public Captured capture() {
        var taken = MDC.getCopyOfContextMap();
        return () -> {
            var before = MDC.getCopyOfContextMap();
            set(taken);
            return () -> set(before);
        };
    }

    private static void set(@Nullable Map<String, String> context) {
        if (context == null) {
            MDC.clear();
        } else {
            MDC.setContextMap(context);
        }
    }
}
