package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.bench.Launching.Task;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LaunchingTest {
    private static final int COUNT = 60;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "KOTLIN_DEFAULT") // as many as there are processors
    void allRunAndNeverMoreAtOnceThanMay(Launching how) throws Exception {
        var task = new Task(COUNT);

        how.launch(COUNT, 2, 3, task);

        assertThat(task.left().getCount()).isZero();
        assertThat(task.running()).hasValue(0);
        assertThat(task.most().get()).isBetween(1, 3);
    }

    @ParameterizedTest
    @EnumSource(names = {"WORKERS", "SEMAPHORE", "KOTLIN_BLOCKING"})
    void thoseThatBlockTakeAllPlaces(Launching how) throws Exception {
        var task = new Task(COUNT);

        how.launch(COUNT, 5, 3, task);

        assertThat(task.most()).hasValue(3);
    }
}
