package io.fibry.examples.frame;

import java.util.concurrent.CountDownLatch;

/** Lets a program run until somebody presses Ctrl-C, and ends it in good order. */
public final class CtrlC {
    private CtrlC() {
    }

    /**
     * Waits for Ctrl-C (or a SIGTERM) for ever. When it comes, what runs is closed in the given order, and
     * the JVM ends.
     *
     * @param running what to close
     * @throws InterruptedException if somebody interrupts
     */
    public static void closes(AutoCloseable... running) throws InterruptedException {
        // Ctrl-C runs the hooks of the JVM, and never what follows in main.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(running), "ctrl-c"));
        System.out.println("Ctrl-C stops it.");
        new CountDownLatch(1).await();
    }

    private static void close(AutoCloseable... running) {
        for (var each : running) {
            try {
                each.close();
            } catch (Exception e) {
                System.err.println("closing " + each + " failed: " + e);
            }
        }
        System.out.println("stopped");
    }
}
