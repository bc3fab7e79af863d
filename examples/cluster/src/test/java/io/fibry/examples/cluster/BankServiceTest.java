package io.fibry.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.net.HttpProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a client writes into the address of a request. {@link PodsTest} has the rest. */
class BankServiceTest {
    @Test
    void aNumberIsNeverNegative() {
        assertThat(BankService.number("999999999")).isEqualTo(999_999_999);
        for (var wrong : List.of("-1", "4294967295", "2147483648", "+5", "", "none", "1e3")) {
            assertThatThrownBy(() -> BankService.number(wrong)).as(wrong).isInstanceOf(HttpProblem.class)
                    .hasMessageContaining("'" + wrong + "'");
        }
    }

    /** Else its client would be told for ever to send it again. */
    @Test
    void anIdThatIsTooLongIsRefused() {
        assertThat(BankService.id("x".repeat(200))).hasSize(200);
        assertThatThrownBy(() -> BankService.id("x".repeat(201))).isInstanceOf(HttpProblem.class);
    }
}
