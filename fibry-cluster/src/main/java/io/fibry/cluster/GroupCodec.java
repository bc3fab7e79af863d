package io.fibry.cluster;

import io.fibry.Reply;
import io.fibry.codec.Codec;
import io.fibry.codec.CodecException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keys and messages of a group, and the values of its answers, as bytes. */
final class GroupCodec<K, M, R> {
    private final ClusterGroup<K, M, R> group;
    private final Codec codec;
    /** The types of answers, in the order of their numbers. */
    private final List<Class<?>> answers;
    /** The classes of which a message was examined. */
    private final Set<Class<?>> crossing = ConcurrentHashMap.newKeySet();

    GroupCodec(ClusterGroup<K, M, R> group) {
        this.group = group;
        var roots = new LinkedHashSet<Class<?>>();
        roots.add(group.answers());
        roots.addAll(group.others());
        roots.removeAll(List.of(Void.class, Reply.class)); // they have no value that crosses
        answers = List.copyOf(roots);
        roots.add(group.keys());
        roots.add(group.messages());
        try {
            codec = Codec.of(roots.toArray(Class<?>[]::new));
        } catch (CodecException cannotCross) {
            throw new ClusterException("The types of the group '" + group.name() + "' cannot cross: "
                    + cannotCross.getMessage(), cannotCross);
        }
    }

    K key(M message) {
        K key = group.keyOf().apply(message);
        if (key == null) {
            throw new NullPointerException("the key of a message of " + message.getClass().getName()
                    + " to the group '" + group.name() + "' is null");
        }
        return key;
    }

    /** Returns what finds the slice of a key, where groups with keys have so many slices. */
    SliceOfKey slices(int keyed) {
        return new SliceOfKey(group.slices(keyed), this::bytes);
    }

    /** Throws an exception if a message could not cross, also if it stays here. The first one of each class is examined. */
    void requireCrossing(Object message) {
        if (!crossing.contains(message.getClass())) {
            var unused = bytes(message);
            crossing.add(message.getClass());
        }
    }

    byte[] bytes(Object value) {
        try {
            return codec.encode(value);
        } catch (CodecException cannotCross) {
            throw new ClusterException("A message to the group '" + group.name() + "' cannot cross: "
                    + cannotCross.getMessage(), cannotCross);
        }
    }

    M message(byte[] bytes) {
        return codec.decode(bytes, group.messages());
    }

    AnswerBody answer(@Nullable Object value) {
        if (value == null) {
            return new AnswerBody.Nothing();
        }
        for (int root = 0; root < answers.size(); root++) {
            if (answers.get(root).isInstance(value)) {
                return new AnswerBody.Value((byte) root, bytes(value));
            }
        }
        throw new ClusterException("An answer of the group '" + group.name() + "' is a "
                + value.getClass().getName() + "; known are " + answers
                + ": add it by ClusterGroup.with");
    }

    Object value(AnswerBody.Value answer) {
        if (answer.root() < 0 || answer.root() >= answers.size()) {
            throw new ClusterException("An answer of the group '" + group.name() + "' is of the type number "
                    + answer.root() + "; this node knows " + answers
                    + ": give the group the same types on all nodes");
        }
        try {
            return codec.decode(answer.content(), answers.get(answer.root()));
        } catch (CodecException unreadable) {
            throw new ClusterException("An answer of the group '" + group.name() + "' is not understood: "
                    + unreadable.getMessage(), unreadable);
        }
    }
}
