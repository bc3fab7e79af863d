package io.fibry.cluster.home;

/** A message for a key, and what its sender must know to tell its fate. Used by one {@link ClusterMember} alone. */
public final class Letter {
    /** The deadline of a letter that has none. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    final String group;
    final int slice;
    final long ask;
    final long deadline;
    final byte[] body;
    private final Object origin;
    private boolean withdrawn;
    private boolean answered;

    /**
     * Makes a letter.
     *
     * @param group name of the group
     * @param slice slice of the key
     * @param ask number of the ask, unique at this node; 0 for a message without an answer
     * @param deadline when its sender does not wait for it any more, by the clock in nanoseconds of this node; or {@link #NO_DEADLINE}
     * @param body the key and the message
     * @param origin what the surroundings know the letter by
     */
    public Letter(String group, int slice, long ask, long deadline, byte[] body, Object origin) {
        this.group = group;
        this.slice = slice;
        this.ask = ask;
        this.deadline = deadline;
        this.body = body;
        this.origin = origin;
    }

    /** What the surroundings know the letter by. */
    public Object origin() {
        return origin;
    }

    /** The key and the message. */
    public byte[] body() {
        return body;
    }

    /** Its answer has come, so it was taken. */
    void answer() {
        answered = true;
    }

    boolean isAnswered() {
        return answered;
    }

    void withdraw() {
        withdrawn = true;
    }

    boolean isOver(long now) {
        return withdrawn || (deadline != NO_DEADLINE && now - deadline >= 0);
    }
}
