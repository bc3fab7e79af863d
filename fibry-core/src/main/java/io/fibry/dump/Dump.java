package io.fibry.dump;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A picture of the actors of a scope, and of the scopes inside it, at one moment. {@link io.fibry.ActorScope#dump()} takes a
 * dump of one scope, the dump of {@link io.fibry.ActorSystem#root()} has all scopes.
 *
 * <p>The actors go on while a dump is taken, so each number is true of its own moment, and two numbers of one dump may not
 * fit together. Messages carry no time. A dump therefore knows how long something has lasted only if an earlier dump
 * saw it, and reports the time since then: it has lasted at least that long. {@link DumpOptions#over} makes one dump look
 * twice.
 *
 * <p>A dump is immutable. It refers to no actor, message or thread.
 *
 * @param takenAt when the dump was taken
 * @param took how long that took, with the time between two looks
 * @param java the version of the JVM
 * @param processors how many processors the JVM uses
 * @param timers how many timers are set on the clock of the system, for the whole JVM
 * @param scope the scope whose dump this is
 * @param waits the actors that wait for other actors
 */
public record Dump(Instant takenAt, Duration took, String java, int processors, int timers, ScopeDump scope,
        List<WaitChain> waits) {
    /**
     * Checks the parts.
     *
     * @param takenAt when the dump was taken
     * @param took how long that took
     * @param java the version of the JVM
     * @param processors how many processors the JVM uses
     * @param timers how many timers are set
     * @param scope the scope
     * @param waits the waits, which are copied
     */
    public Dump {
        Objects.requireNonNull(takenAt, "takenAt");
        Objects.requireNonNull(took, "took");
        Objects.requireNonNull(java, "java");
        Objects.requireNonNull(scope, "scope");
        waits = List.copyOf(waits);
    }

    /**
     * Returns the dump as text for people, of several lines. Its form may change from version to version.
     *
     * @return the text
     */
    public String text() {
        return new DumpText().dump(this);
    }

    /**
     * Returns the dump as one JSON object for programs. Each record is an object with the names of its components; a
     * component that is empty is left out. A duration is a number of nanoseconds with the suffix {@code Nanos} in its name.
     * Later versions add components and do not change those that are there.
     *
     * @return the JSON text
     */
    public String json() {
        return new DumpJson().dump(this);
    }

    /** Returns the first line of {@link #text}. */
    @Override
    public String toString() {
        return new DumpText().summary(this);
    }
}
