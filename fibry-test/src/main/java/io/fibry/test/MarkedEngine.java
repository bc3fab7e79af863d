package io.fibry.test;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Turns on the marks of the engine, at which schedules switch threads, before any test uses the engine. JUnit's launcher
 * finds this class by itself. A JVM that sets the system property {@code io.fibry.interleave} decides for itself.
 */
public final class MarkedEngine implements LauncherSessionListener {
    private static final String PROPERTY = "io.fibry.interleave";

    /** Creates the listener, for the launcher. */
    public MarkedEngine() {
    }

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        if (System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, "true");
        }
    }
}
