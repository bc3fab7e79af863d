package io.fibry.examples.frame;

import java.util.concurrent.CountDownLatch;

/** Lets a program run until the user presses Ctrl-C, and ends it in good order. */
public final class CtrlC {
    private CtrlC() {
    }

    /**
     * Waits for Ctrl-C (or a SIGTERM) without a limit. When it comes, the given objects are closed in their order, and
     * the JVM ends.
     *
     * @param running the objects to close
     * @throws InterruptedException if the thread is interrupted
     */
    public static void closes(AutoCloseable... running) throws InterruptedException {
        // Ctrl-C runs the hooks of the JVM, and not the code that follows in main.
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
