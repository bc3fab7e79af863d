package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.trial.EffectHistory.Begin;
import io.fibry.cluster.trial.EffectHistory.Effect;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of effects finds each fault that is planted. */
class EffectHistoryTest {
    private static final Effect FIRST = new Effect(1, 1, "x", "a");
    private static final Effect SECOND = new Effect(1, 2, "y", "b");
    private static final Effect THIRD = new Effect(1, 3, "z", "b");

    private static void assertFound(String fault, List<Effect> acknowledged, Effect... there) {
        assertThat(EffectHistory.faults(acknowledged, List.of(there), List.of())).singleElement().asString()
                .startsWith(fault);
    }

    @Test
    void whatMayBe() {
        assertThat(EffectHistory.faults(List.of(FIRST, THIRD), List.of(FIRST, SECOND, THIRD),
                List.of(new Begin(1, "a", 1), new Begin(1, "b", 3), new Begin(2, "c", 2),
                        new Begin(1, "a", 2))))
                .isEmpty();
    }

    @Test
    void whatMustNotBe() {
        assertFound("acknowledged and lost", List.of(FIRST, SECOND), FIRST);
        assertFound("acknowledged as", List.of(new Effect(1, 2, "x", "a")), FIRST);
        assertFound("a gap at 2", List.of(), FIRST, THIRD);
        assertFound("twice", List.of(), FIRST, new Effect(1, 2, "x", "a"));
        assertFound("of two homes", List.of(), FIRST, new Effect(1, 1, "w", "b"));
        assertFound("written behind the next home", List.of(), FIRST, SECOND, new Effect(1, 3, "w", "a"));
        assertThat(EffectHistory.faults(List.of(), List.of(),
                List.of(new Begin(1, "a", 1), new Begin(1, "a", 3), new Begin(1, "b", 2)))).singleElement()
                .asString()
                .startsWith("begun late");
    }
}
