package io.fibry.bench;

import java.io.IOException;
import java.util.List;

/** Limits the program, and what it starts, to some of the machine's processors. */
final class Processors {
    private Processors() {
    }

    /** Lets this process, with all its threads, use the first processors only. Child processes inherit that. */
    static void useFirst(int count) throws IOException {
        if (!Language.isOnPath("taskset")) {
            throw new IOException(
                    "--processors needs taskset, which is not installed; Debian and Ubuntu: apt-get install"
                            + " util-linux");
        }
        var own = Runtime.getRuntime().availableProcessors();
        if (count > own) {
            throw new IOException(
                    "--processors wants at most " + own + ", which this machine has, not " + count);
        }
        try {
            Language.output(List.of("taskset", "-acp", "0-" + (count - 1),
                    "" + ProcessHandle.current().pid()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while taskset was running", e);
        }
    }
}
