package io.fibry.cluster;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * What a node tells the others about the workers or the subscribers that it has.
 *
 * @param size how many there are
 * @param pending how many messages are with the workers, or wait for them
 */
record NodeLoad(int size, int pending) {
    /** Nothing is there. */
    static final NodeLoad NONE = new NodeLoad(0, 0);

    /**
     * A load, and whose it is.
     *
     * @param group name of the group
     * @param load the load
     */
    record Note(String group, NodeLoad load) {
        byte[] bytes() {
            var bytes = new ByteArrayOutputStream();
            var out = new DataOutputStream(bytes);
            try {
                out.writeUTF(group);
                out.writeInt(load.size);
                out.writeInt(load.pending);
            } catch (IOException never) {
                throw new UncheckedIOException(never);
            }
            return bytes.toByteArray();
        }

        /** Reads bytes; empty if they are none of a note. */
        static Optional<Note> of(byte[] bytes) {
            var in = new DataInputStream(new ByteArrayInputStream(bytes));
            try {
                return Optional.of(new Note(in.readUTF(), new NodeLoad(in.readInt(), in.readInt())));
            } catch (IOException cutOff) {
                return Optional.empty();
            }
        }
    }

    /** Compares by how much each worker has to do if one message more comes; without workers it is more than with any. */
    boolean isLessThan(NodeLoad other) {
        return (pending + 1L) * other.size < (other.pending + 1L) * size;
    }

    /** Whether a worker has nothing to do. */
    boolean hasIdle() {
        return pending < size;
    }

    NodeLoad plus(int more) {
        return new NodeLoad(size, pending + more);
    }
}
