package io.fibry.cluster.circle;

import io.fibry.codec.Codec;
import io.fibry.codec.CodecException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What goes along the asks.
 *
 * @param begin the ask whose circle is looked for
 * @param search number of the search at its node
 * @param isSecond whether it goes round for the second time
 * @param hops the asks that follow the first one
 */
public record CircleProbe(NodeAsk begin, long search, boolean isSecond, List<Hop> hops) {
    /** Longer circles are not looked for. */
    static final int MOST_HOPS = 100;

    private static final int LONGEST_TEXT = 300;
    private static final Codec CODEC = Codec.of(CircleProbe.class);

    /**
     * A step of a probe.
     *
     * @param ask the ask that it went along
     * @param actors the actors that wait for it, or the beginning of a text that is too long
     */
    public record Hop(NodeAsk ask, String actors) {
        /** Cuts the text. */
        public Hop {
            actors = actors.substring(0, Math.min(actors.length(), LONGEST_TEXT));
        }
    }

    /** Checks the values. */
    public CircleProbe {
        hops = List.copyOf(hops);
    }

    CircleProbe with(Hop hop) {
        var more = new ArrayList<>(hops);
        more.add(hop);
        return new CircleProbe(begin, search, isSecond, more);
    }

    CircleProbe second() {
        return new CircleProbe(begin, search, true, hops);
    }

    boolean hasPassed(NodeAsk ask) {
        return hops.stream().anyMatch(hop -> hop.ask.equals(ask));
    }

    /** Returns the bytes. */
    public byte[] bytes() {
        return CODEC.encode(this);
    }

    /** Reads bytes; empty if they are no probe. */
    public static Optional<CircleProbe> of(byte[] bytes) {
        try {
            return Optional.of(CODEC.decode(bytes, CircleProbe.class));
        } catch (CodecException notUnderstood) {
            return Optional.empty();
        }
    }
}
