package io.fibry;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Carries the diagnostic context of the log. */
final class MdcCarrier implements TravellingCarrier {
    static final MdcCarrier INSTANCE = new MdcCarrier();

    private MdcCarrier() {
    }

    @Override
    public String name() {
        return "mdc";
    }

    @Override
    public Captured capture() {
        var taken = MDC.getCopyOfContextMap();
        return new Taken(taken);
    }

    @Override
    public Map<String, String> write() {
        var taken = MDC.getCopyOfContextMap();
        return taken == null ? Map.of() : taken;
    }

    @Override
    public Captured read(Map<String, String> written) {
        return new Taken(written);
    }

    private record Taken(@Nullable Map<String, String> context) implements Captured {
        @Override
        public Runnable restore() {
            var before = MDC.getCopyOfContextMap();
            set(context);
            return new Before(before);
        }
    }

    private record Before(@Nullable Map<String, String> context) implements Runnable {
        @Override
        public void run() {
            set(context);
        }
    }

    private static void set(@Nullable Map<String, String> context) {
        if (context == null) {
            MDC.clear();
        } else {
            MDC.setContextMap(context);
        }
    }
}
