package io.fibry.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.cluster.stream.StreamFrame.Run;
import io.fibry.testing.Promise;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FrameCodecTest {
    @Test
    void framesAreReadAsTheyWereWritten() throws Exception {
        var items = new StreamFrame.Items(3, 17, 12, List.of(new byte[]{1, 2, 3}, new byte[0]));
        assertThat(FrameCodec.decode(FrameCodec.encode(items))).singleElement().usingRecursiveComparison()
                .isEqualTo(items);
        for (var frame : List.of(
                new StreamFrame.Verdicts(4, 31, 9,
                        List.of(new Run(Verdict.TAKEN, 12, 2), new Run(Verdict.RETURNED, 30, 2),
                                new Run(Verdict.FULL, 3, 1))),
                new StreamFrame.Verdicts(4, 31, 9, List.of()), new StreamFrame.Retired(7))) {
            assertThat(FrameCodec.decode(FrameCodec.encode(frame))).containsExactly(frame);
        }
    }

    @Test
    void framesThatGoTogetherAreReadInTheirOrder() throws Exception {
        var verdicts = new StreamFrame.Verdicts(4, 31, 9, List.of(new Run(Verdict.TAKEN, 12, 1)));
        var retired = new StreamFrame.Retired(7);
        assertThat(FrameCodec.decode(FrameCodec.encode(verdicts, retired, verdicts)))
                .containsExactly(verdicts, retired, verdicts);
    }

    /** Without a limit, a small transmission could be decoded to far more memory than it has bytes. */
    @Test
    @Promise("78.5")
    void noMoreThanEightFramesGoTogether() throws Exception {
        var eight = Collections.nCopies(8, new StreamFrame.Retired(7)).toArray(StreamFrame[]::new);
        assertThat(FrameCodec.decode(FrameCodec.encode(eight))).containsExactly(eight);
        var nine = Collections.nCopies(9, new StreamFrame.Retired(7)).toArray(StreamFrame[]::new);
        assertThatThrownBy(() -> FrameCodec.decode(FrameCodec.encode(nine)))
                .isInstanceOf(BadFrameException.class).hasMessage("more than 8 frames go together");
    }

    @Test
    @Promise("78.5")
    void noFrameIsReadIfOneOfThemIsBad() {
        var bytes = FrameCodec.encode(new StreamFrame.Retired(7), new StreamFrame.Retired(8));
        assertThatThrownBy(() -> FrameCodec.decode(bytes.limit(bytes.limit() - 3)))
                .isInstanceOf(BadFrameException.class)
                .hasMessage("the head of a frame of 10 bytes, of which 7 are there");
    }

    @Test
    @Promise("78.5")
    void bytesThatAreNoFrameAreRefusedWithTheReason() {
        assertThatThrownBy(() -> FrameCodec.decode(ByteBuffer.wrap(new byte[]{3, 1, 0, 0, 0, 0, 0, 0, 0, 0})))
                .isInstanceOf(BadFrameException.class)
                .hasMessage(
                        "a frame has version 3; this node reads version 2: update the older of both nodes");
        var long0 = ByteBuffer.allocate(30).put((byte) 2).put((byte) 1).putLong(1).putLong(1).putLong(0)
                .putInt(Integer.MAX_VALUE).flip();
        assertThatThrownBy(() -> FrameCodec.decode(long0)).isInstanceOf(BadFrameException.class)
                .hasMessageContaining("has the count " + Integer.MAX_VALUE);
    }

    @Test
    @Promise("78.5")
    void verdictsThatCannotBeAreRefused() {
        for (var run : List.of(new Run(Verdict.TAKEN, 0, 1), new Run(Verdict.TAKEN, -5, 1),
                new Run(Verdict.TAKEN, 30, 3), new Run(Verdict.TAKEN, Long.MAX_VALUE, 2))) {
            var bytes = FrameCodec.encode(new StreamFrame.Verdicts(4, 31, 9, List.of(run)));
            assertThatThrownBy(() -> FrameCodec.decode(bytes)).isInstanceOf(BadFrameException.class)
                    .hasMessage(run.length() + " verdicts from item " + run.first()
                            + "; the last one that has arrived is 31");
        }
        for (var length : new int[]{0, -1, (1 << 16) + 1}) {
            var bytes = FrameCodec.encode(
                    new StreamFrame.Verdicts(4, 1 << 20, 9, List.of(new Run(Verdict.TAKEN, 1, length))));
            assertThatThrownBy(() -> FrameCodec.decode(bytes)).isInstanceOf(BadFrameException.class)
                    .hasMessage("a run of " + length + " verdicts; a frame has at most 65536");
        }
    }

    @Test
    @Promise("78.5")
    void neitherCutNorChangedFramesThrowAnythingElse() {
        var random = new SplittableRandom(26);
        var frames = new ArrayList<ByteBuffer>();
        frames.add(FrameCodec
                .encode(new StreamFrame.Items(3, 17, 12, List.of(new byte[]{1, 2, 3}, new byte[40]))));
        frames.add(
                FrameCodec.encode(new StreamFrame.Verdicts(4, 31, 9,
                        List.of(new Run(Verdict.TAKEN, 12, 2), new Run(Verdict.RETURNED, 30, 2))),
                        new StreamFrame.Items(3, 17, 12, List.of(new byte[4]))));
        for (int run = 0; run < 20_000; run++) {
            var bytes = frames.get(run % 2).array().clone();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            var cut = ByteBuffer.wrap(bytes, 0, run % 3 == 0 ? random.nextInt(bytes.length) : bytes.length);
            try {
                assertThat(FrameCodec.decode(cut)).isNotNull();
            } catch (BadFrameException refused) {
                assertThat(refused).hasMessageNotContaining("null");
            }
        }
    }
}
