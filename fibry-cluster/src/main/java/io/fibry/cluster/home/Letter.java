package io.fibry.cluster.home;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A message for a key, and what its sender must know to tell its fate. Used by one {@link ClusterMember} alone. */
public final class Letter {
    /** The slice of a letter that goes to workers, or names the node to which it goes. */
    public static final int NO_SLICE = -1;
    /** The deadline of a letter that has none. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    private static final int MOST_PROBES = 8;

    final String group;
    final int slice;
    final long ask;
    final long deadline;
    final byte[] body;
    private final Object origin;
    /** Whether it may be handled twice, so that it is sent again if its fate is not known. */
    private final boolean repeatable;
    /** The node to which it goes; null if it goes to the home of its key, or to workers on any node. */
    private final @Nullable UUID to;
    /** Its place among all letters of this node. */
    private long number;
    private boolean withdrawn;
    private boolean answered;
    /** The node that was lost with it, or that gave it back, if it may have been handled there. */
    private @Nullable UUID uncertainAt;
    /** The node to which it was sent and that has given no verdict. */
    private @Nullable UUID underwayTo;
    /** The node that has taken it; null if none has, or if it is sent again. */
    private @Nullable UUID takenBy;
    /** What is to go along the ask when it is known who has it. */
    private List<byte[]> probes = List.of();

    /**
     * Makes a letter.
     *
     * @param group name of the group
     * @param slice slice of the key; {@link #NO_SLICE} if it goes to workers
     * @param ask number of the ask, unique at this node; 0 for a message without an answer
     * @param deadline when its sender does not wait for it any more, by the clock in nanoseconds of this node; or {@link #NO_DEADLINE}
     * @param body the key and the message
     * @param origin what the surroundings know the letter by
     * @param repeatable whether it is an ask that may be handled twice: it is sent again when its node is lost before it answers
     */
    public Letter(String group, int slice, long ask, long deadline, byte[] body, Object origin,
            boolean repeatable) {
        this(null, group, slice, ask, deadline, body, origin, repeatable);
    }

    private Letter(@Nullable UUID to, String group, int slice, long ask, long deadline, byte[] body,
            Object origin, boolean repeatable) {
        this.to = to;
        this.group = group;
        this.slice = slice;
        this.ask = ask;
        this.deadline = deadline;
        this.body = body;
        this.origin = origin;
        this.repeatable = repeatable;
    }

    /**
     * Makes a letter to a node that hosts the group. It is refused if the node does not host it, and sent once.
     *
     * @param node incarnation of the node
     * @param group name of a group {@linkplain ClusterMember#describe without slices}
     * @param ask number of the ask, unique at this node; 0 for a message without an answer
     * @param deadline when its sender does not wait for it any more, by the clock in nanoseconds of this node; or {@link #NO_DEADLINE}
     * @param body the message
     * @param origin what the surroundings know the letter by
     * @return the letter
     */
    public static Letter to(UUID node, String group, long ask, long deadline, byte[] body, Object origin) {
        return new Letter(node, group, NO_SLICE, ask, deadline, body, origin, false);
    }

    boolean namesNode() {
        return to != null;
    }

    /** Returns the node that it names. */
    UUID node() {
        if (to == null) {
            throw new IllegalStateException("the letter names no node");
        }
        return to;
    }

    /** The number of the ask; 0 for a message without an answer. */
    public long askNumber() {
        return ask;
    }

    /** What the surroundings know the letter by. */
    public Object origin() {
        return origin;
    }

    /** It goes to a node; or, with null, is not underway any more. */
    void isUnderwayTo(@Nullable UUID node) {
        underwayTo = node;
    }

    /** Returns the node that has it, or will have it; null if there is none. */
    @Nullable UUID at() {
        return takenBy == null ? underwayTo : takenBy;
    }

    @Nullable UUID takenBy() {
        return takenBy;
    }

    /** A node has taken it. Returns the probes that have waited for that. */
    List<byte[]> take(UUID by) {
        takenBy = by;
        var waited = probes;
        probes = List.of();
        return waited;
    }

    /** Keeps a probe until a node has taken the letter. */
    void keep(byte[] probe) {
        if (probes.isEmpty()) {
            probes = new ArrayList<>();
        }
        if (probes.size() < MOST_PROBES) {
            probes.add(probe);
        }
    }

    /** Its answer has come, so it was taken. */
    void answer() {
        answered = true;
    }

    boolean isAnswered() {
        return answered;
    }

    long number() {
        return number;
    }

    /** For how many nanoseconds its sender waits, or {@link #NO_DEADLINE}. */
    long remaining(long now) {
        return deadline == NO_DEADLINE ? NO_DEADLINE : Math.max(0, deadline - now);
    }

    /** Gives it its place, when it is sent for the first time. */
    void number(long place) {
        number = place;
    }

    /** Whether it may be sent once more now. It may not if its sender does not wait for it any more. */
    boolean mayBeRepeated(long now) {
        return repeatable && !answered && !isOver(now);
    }

    /** It may have been handled by a node, and is sent once more. */
    void repeatAfter(UUID node) {
        uncertainAt = node;
        takenBy = null;
    }

    /** Returns its fate, given what has become of it in the end: if it may have been handled before, nothing else is certain. */
    Fate inTheEnd(Fate last) {
        var isCertain = last instanceof Fate.Refused || last instanceof Fate.NotServed;
        // mutant: repeated-ask-is-told-as-certainly-not-handled
        return uncertainAt != null && isCertain ? new Fate.Uncertain(uncertainAt) : last;
    }

    void withdraw() {
        withdrawn = true;
    }

    boolean isOver(long now) {
        return withdrawn || (deadline != NO_DEADLINE && now - deadline >= 0);
    }
}
