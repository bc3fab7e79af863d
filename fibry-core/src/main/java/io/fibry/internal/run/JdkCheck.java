package io.fibry.internal.run;

import io.fibry.internal.log.Logs;
import java.util.Optional;

/** Logs a warning if the JDK is of a version whose virtual threads are known to hang. */
public final class JdkCheck {
    private JdkCheck() {
    }

    public static void warnOnce() {
        warning(Runtime.version()).ifPresent(Logs.of("io.fibry")::warn);
    }

    static Optional<String> warning(Runtime.Version version) {
        if (version.feature() != 25 || version.interim() != 0 || version.update() > 2) {
            return Optional.empty();
        }
        return Optional.of("JDK " + version
                + " can hang a virtual thread that parks with a time limit and then "
                + "without one (JDK-8369227). Fibry does not do that, but handlers may: use 25.0.3 or later.");
    }
}
