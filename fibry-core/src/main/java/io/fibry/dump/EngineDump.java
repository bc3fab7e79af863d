package io.fibry.dump;

import java.util.Objects;

/**
 * The threads of the library at the moment of a dump. They belong to the JVM, not to a scope.
 *
 * @param java the version of the JVM
 * @param processors how many processors the JVM uses
 * @param lanes how many virtual threads of the library have actors waiting behind the one that they run
 * @param overflow how many actors that are to run wait for such a thread. An estimate
 * @param helpers how many more such threads are being started
 * @param timers how many timers are set on the clock of the system
 */
public record EngineDump(String java, int processors, int lanes, long overflow, int helpers, int timers) {
    /**
     * Checks the version.
     *
     * @param java the version of the JVM
     * @param processors how many processors the JVM uses
     * @param lanes how many lanes have actors waiting
     * @param overflow how many actors wait for a lane
     * @param helpers how many lanes are being started
     * @param timers how many timers are set
     */
    public EngineDump {
        Objects.requireNonNull(java, "java");
    }
}
