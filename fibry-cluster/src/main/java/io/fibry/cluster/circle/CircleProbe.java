package io.fibry.cluster.circle;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

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

    /**
     * A step of a probe.
     *
     * @param ask the ask that it went along
     * @param actors the actors that wait for it
     */
    public record Hop(NodeAsk ask, String actors) {
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
        var texts = hops.stream().map(hop -> text(hop.actors).getBytes(StandardCharsets.UTF_8)).toList();
        var ofAsk = 3 * Long.BYTES;
        var out = ByteBuffer.allocate(ofAsk + Long.BYTES + 2
                + texts.stream().mapToInt(text -> ofAsk + Short.BYTES + text.length).sum());
        put(out, begin);
        out.putLong(search).put((byte) (isSecond ? 1 : 0)).put((byte) hops.size());
        for (int i = 0; i < hops.size(); i++) {
            put(out, hops.get(i).ask);
            out.putShort((short) texts.get(i).length).put(texts.get(i));
        }
        return out.array();
    }

    private static String text(String actors) {
        return actors.length() > LONGEST_TEXT ? actors.substring(0, LONGEST_TEXT) : actors;
    }

    private static void put(ByteBuffer out, NodeAsk ask) {
        out.putLong(ask.node().getMostSignificantBits()).putLong(ask.node().getLeastSignificantBits())
                .putLong(ask.number());
    }

    /** Reads bytes; empty if they are no probe. */
    public static Optional<CircleProbe> of(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        try {
            var begin = ask(in);
            var search = in.getLong();
            var isSecond = in.get() == 1;
            var hops = new ArrayList<Hop>();
            for (int left = in.get(); left > 0; left--) {
                var ask = ask(in);
                var text = new byte[Math.min(Short.toUnsignedInt(in.getShort()), in.remaining())];
                in.get(text);
                hops.add(new Hop(ask, new String(text, StandardCharsets.UTF_8)));
            }
            return Optional.of(new CircleProbe(begin, search, isSecond, hops));
        } catch (BufferUnderflowException tooShort) {
            return Optional.empty();
        }
    }

    private static NodeAsk ask(ByteBuffer in) {
        return new NodeAsk(new UUID(in.getLong(), in.getLong()), in.getLong());
    }
}
