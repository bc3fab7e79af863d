package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Who works for clients, when there are more of them than places. */
class HttpWorksTest {
    private static final int MANY = 3_000;

    private final HttpWorks works = new HttpWorks();

    /** Each on a thread of its own, which has ended since. */
    private static List<HttpWork> onThreadsOfTheirOwn(int count) throws Exception {
        var all = new ArrayList<HttpWork>();
        for (int i = 0; i < count; i++) {
            var work = new FutureTask<>(() -> new HttpWork(null));
            Thread.ofVirtual().start(work).join();
            all.add(work.get());
        }
        return all;
    }

    @Test
    void eachIsFoundByItsThreadAlsoWithoutAPlace() throws Exception {
        var all = onThreadsOfTheirOwn(MANY);
        all.forEach(works::add);
        assertThat(works.all()).containsExactlyInAnyOrderElementsOf(all);
        assertThat(all).allSatisfy(work -> assertThat(works.of(work.fiber())).isSameAs(work));
    }

    @Test
    void whoGoesTakesNobodyElseAlong() throws Exception {
        var leaving = onThreadsOfTheirOwn(MANY);
        var staying = onThreadsOfTheirOwn(MANY);
        leaving.forEach(works::add);
        staying.forEach(works::add);
        leaving.forEach(works::remove);
        assertThat(works.all()).containsExactlyInAnyOrderElementsOf(staying);
        assertThat(leaving).allSatisfy(work -> assertThat(works.of(work.fiber())).isNull());
        staying.forEach(works::remove);
        assertThat(works.all()).isEmpty();
    }

    @Test
    void whoDoesNothingForAClientHasNone() {
        assertThat(works.of(Thread.currentThread())).isNull();
    }
}
