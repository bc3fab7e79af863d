package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.trial.AskHistory.Ask;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of histories finds each fault that is planted. */
class AskHistoryTest {
    private static Ask answered(long begin, long end, String actor, long value) {
        return new Ask(1, begin, end, "answered", actor, value);
    }

    private static final Ask UNCERTAIN = new Ask(1, 5, 6, "uncertain", "-", 0);

    @Test
    void whatMayBe() {
        assertThat(AskHistory
                .faults(List.of(answered(1, 2, "a", 1), answered(2, 9, "a", 3), answered(3, 8, "a", 2))))
                .isEmpty();
        assertThat(AskHistory.faults(List.of(answered(1, 2, "a", 1), UNCERTAIN, answered(7, 8, "a", 3))))
                .isEmpty();
        assertThat(AskHistory.faults(List.of(answered(1, 2, "a", 1), answered(3, 4, "b", 1)))).isEmpty();
    }

    @Test
    void whatMustNotBe() {
        assertThat(AskHistory.faults(List.of(answered(1, 2, "a", 1), answered(3, 4, "a", 1))))
                .anyMatch(each -> each.contains("the answer 1"));
        assertThat(AskHistory.faults(List.of(answered(1, 2, "a", 1), answered(3, 4, "a", 3))))
                .anyMatch(each -> each.contains("counted 1"));
        assertThat(AskHistory.faults(List.of(answered(1, 2, "a", 1), UNCERTAIN, answered(3, 4, "a", 4))))
                .anyMatch(each -> each.contains("counted 2"));
        assertThat(AskHistory
                .faults(List.of(answered(1, 2, "a", 1), answered(3, 4, "b", 1), answered(5, 6, "a", 2))))
                .anyMatch(each -> each.contains("two actors"));
        assertThat(AskHistory.faults(List.of(answered(1, 2, "a", 2), answered(3, 4, "a", 1))))
                .anyMatch(each -> each.contains("backwards"));
    }

    @Test
    void linesAreReadAsTheyWereWritten() {
        assertThat(Ask.of(UNCERTAIN.line())).isEqualTo(UNCERTAIN);
    }
}
