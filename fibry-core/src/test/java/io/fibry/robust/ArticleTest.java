package io.fibry.robust;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The snippets of the articles compile and run as they are printed. */
class ArticleTest {
    /** When one of these arrives, its snippet goes into this class. */
    private static final Set<String> NOT_THERE_YET = Set.of("embeddedHttpServer");

    @Test
    void aMillionSinks() {
        for (int i = 0; i < 1_000_000; i++)
            Stereotypes.fibers().sink(null);
    }

    @Test
    void sinksOnThreads() {
        for (int i = 0; i < 100; i++)
            Stereotypes.threads().sink(null).close();
    }

    @Test
    void aQuarterOfAMillionAsks() {
        var act = ActorSystem.anonymous().newActorWithReturn((Integer n) -> n * n);
        Stereotypes.def().runOnceSilent(() -> {
            for (int i = 0; i < 250_000; i++)
                act.sendMessageReturn(i).get();
        }).closeOnExit(act).waitForExit();

        assertThat(act.counters().handled()).isEqualTo(250_000);
        assertThat(act.state()).isEqualTo(ActorState.STOPPED);
    }

    @Test
    void aQuarterOfAMillionAsksFromAThread() {
        var act = ActorSystem.anonymous().newActorWithReturn((Integer n) -> n * n);
        Stereotypes.threads().runOnceSilent(() -> {
            for (int i = 0; i < 250_000; i++)
                act.sendMessageReturn(i).get();
        }).closeOnExit(act).waitForExit();

        assertThat(act.counters().handled()).isEqualTo(250_000);
        assertThat(act.state()).isEqualTo(ActorState.STOPPED);
    }

    @Test
    void aTcpServerInAFewLines() throws Exception {
        assertThat(Child.run(ArticleTcp.class, List.of())).contains("HTTP/1.1 200 OK").contains("Hello!");
    }

    @Test
    void whatIsMissingIsStillMissing() {
        assertThat(Arrays.stream(Stereotypes.class.getMethods()).map(Method::getName))
                .doesNotContainAnyElementsOf(NOT_THERE_YET);
    }
}
