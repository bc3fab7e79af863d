package io.fibry.cluster.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One boot of a machine and one of its network namespaces. There a closed port proves that a process has ended, since
 * the kernel closes it with the last thread; from another machine a refusal may come from something in between.
 *
 * @param name tells one place from another one; empty if it is not known, as where there is no Linux: then nothing is said of it
 */
record MachineId(String name) {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path NETWORK = Path.of("/proc/self/ns/net");

    /** Returns the place of this process, if the system tells it. */
    static MachineId here() {
        try {
            return new MachineId(Files.readString(BOOT).strip() + " " + Files.readSymbolicLink(NETWORK));
        } catch (IOException | UnsupportedOperationException unknown) {
            return new MachineId("");
        }
    }

    /** Whether a row names this place. */
    boolean isHere(String other) {
        return !name.isEmpty() && name.equals(other);
    }

    /** Whether a row names another place. */
    boolean isElsewhere(String other) {
        return !name.isEmpty() && !other.isEmpty() && !name.equals(other);
    }
}
