package io.fibry.cluster.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Where a closed port proves that a process has ended: the boot of a machine, and a network namespace of it. The kernel closes the socket that listens when the
 * last thread of the process has ended. From another machine a refusal proves nothing, since something between them may have refused.
 *
 * @param name tells one place from another one
 */
record MachineId(String name) {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path NETWORK = Path.of("/proc/self/ns/net");

    /** Returns the place of this process; one that nobody else has if the system does not tell. */
    static MachineId here() {
        try {
            return new MachineId(Files.readString(BOOT).strip() + " " + Files.readSymbolicLink(NETWORK));
        } catch (IOException | UnsupportedOperationException unknown) {
            return new MachineId(UUID.randomUUID().toString());
        }
    }
}
