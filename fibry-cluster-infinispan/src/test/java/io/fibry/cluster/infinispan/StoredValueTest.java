package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class StoredValueTest {
    private static final StoredValue FIRST = StoredValue.of(1, 7, new byte[]{1});

    @Test
    void bytesGoThereAndBack() {
        assertThat(StoredValue.of(FIRST.stored())).isEqualTo(FIRST).hasSameHashCodeAs(FIRST);
        assertThat(FIRST.value()).contains(new byte[]{1});
        var mark = StoredValue.of(2, 7, null);
        assertThat(StoredValue.of(mark.stored())).isEqualTo(mark);
        assertThat(mark.value()).isEmpty();
        assertThat(StoredValue.of(2, 7, new byte[0]).value()).contains(new byte[0]);
    }

    @Test
    void aLaterEpochIsNewerWhateverTheNumber() {
        var second = StoredValue.of(2, 7, new byte[]{2});
        var third = StoredValue.of(3, 7, new byte[]{3});
        var other = StoredValue.of(2, 8, new byte[]{4});
        assertThat(second.isNewerThan(FIRST)).isTrue();
        assertThat(FIRST.isNewerThan(second)).isFalse();
        assertThat(other.isNewerThan(third)).isTrue();
        assertThat(third.isNewerThan(other)).isFalse();
        assertThat(FIRST.isNewerThan(FIRST)).isFalse();
    }

    /** A part without the majority may have given it any number in the epoch before. */
    @Test
    void whatIsRenewedIsNewerThanAllOfTheEpochBefore() {
        var renewed = FIRST.renewed(8);
        assertThat(renewed.isNewerThan(StoredValue.of(1_000, 7, new byte[]{5}))).isTrue();
        assertThat(renewed.value()).contains(new byte[]{1});
        assertThat(FIRST.renewed(7).isNewerThan(FIRST)).isTrue();
        var mark = StoredValue.of(2, 7, null);
        assertThat(mark.renewed(9).value()).isEmpty();
    }

    /** The round of its writer may have ended before it read the value that it replaces. */
    @Test
    void whatFollowsIsNewerThanWhatItReplaces() {
        var before = StoredValue.of(4, 8, new byte[]{1});
        assertThat(new Copies().after(Optional.of(before), 7, new byte[]{2}).isNewerThan(before)).isTrue();
        assertThat(new Copies().after(Optional.of(before), 9, null).isNewerThan(before)).isTrue();
    }

    /** Each removal is a change of its own, also if two remove the same value. */
    @Test
    void noTwoMarksAreEqual() {
        assertThat(StoredValue.of(2, 7, null)).isNotEqualTo(StoredValue.of(2, 7, null));
    }
}
