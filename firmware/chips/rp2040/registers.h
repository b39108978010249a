/* SPDX-License-Identifier: Apache-2.0
 *
 * The registers that this program uses, named as in the RP2040 data sheet.
 */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(address))
/* Every peripheral register has aliases that set or clear the bits written. */
#define SET_BITS(reg) (*(volatile uint32_t *)((uintptr_t) & (reg) + 0x2000u))
#define CLEAR_BITS(reg) (*(volatile uint32_t *)((uintptr_t) & (reg) + 0x3000u))
#define BIT(number) (1ul << (number))

#define XIP_UNCACHED 0x13000000u

/* SSI: the serial interface of the flash memory */
#define SSI_CTRLR0 REG(0x18000000u)
#define SSI_CTRLR1 REG(0x18000004u)
#define SSI_SSIENR REG(0x18000008u)
#define SSI_SER REG(0x18000010u)
#define SSI_BAUDR REG(0x18000014u)
#define SSI_SR REG(0x18000028u)
#define SSI_DR0 REG(0x18000060u)
#define SSI_SPI_CTRLR0 REG(0x180000F4u)
#define SSI_SR_TFNF BIT(1)
#define SSI_SR_RFNE BIT(3)

#define CLK_REF_CTRL REG(0x40008030u)
#define CLK_REF_SELECTED REG(0x40008038u)
#define CLK_SYS_CTRL REG(0x4000803Cu)
#define CLK_SYS_SELECTED REG(0x40008044u)
#define CLK_PERI_CTRL REG(0x40008048u)
#define CLK_USB_CTRL REG(0x40008054u)
#define CLK_FROM_PLL_SYS (BIT(11) | 1ul << 5) /* of CLK_USB: enabled, from the system's PLL */

#define RESETS_RESET REG(0x4000C000u)
#define RESETS_DONE REG(0x4000C008u)
#define RESET_DMA BIT(2)
#define RESET_I2C0 BIT(3)
#define RESET_IO_BANK0 BIT(5)
#define RESET_IO_QSPI BIT(6)
#define RESET_PADS_BANK0 BIT(8)
#define RESET_PIO0 BIT(10)
#define RESET_PLL_SYS BIT(12)
#define RESET_PWM BIT(14)
#define RESET_SPI0 BIT(16)
#define RESET_TIMER BIT(21)
#define RESET_UART0 BIT(22)
#define RESET_USBCTRL BIT(24)

#define PSM_WDSEL REG(0x40010008u)
#define PSM_ALL_BUT_OSCILLATORS 0x0001FFFCul

#define GPIO_CTRL(pin) REG(0x40014004u + 8u * (pin))
enum { FUNCTION_SPI = 1, FUNCTION_UART = 2, FUNCTION_I2C = 3, FUNCTION_PWM = 4, FUNCTION_SIO = 5, FUNCTION_PIO0 = 6 };
#define QSPI_SS_CTRL REG(0x4001800Cu)
#define QSPI_SS_LOW (2ul << 8) /* override of the output */
#define PAD(pin) REG(0x4001C004u + 4u * (pin))
#define PAD_PLAIN 0x52ul   /* input enabled, 4 mA, Schmitt trigger */
#define PAD_PULL_UP 0x5Aul /* the same, pulled up */

#define XOSC_CTRL REG(0x40024000u)
#define XOSC_STATUS REG(0x40024004u)
#define XOSC_STARTUP REG(0x4002400Cu)
#define XOSC_RANGE_1_15MHZ 0xAA0ul
#define XOSC_ENABLE (0xFABul << 12)
#define XOSC_STABLE BIT(31)

#define PLL_SYS_CS REG(0x40028000u)
#define PLL_SYS_PWR REG(0x40028004u)
#define PLL_SYS_FBDIV REG(0x40028008u)
#define PLL_SYS_PRIM REG(0x4002800Cu)
#define PLL_LOCK BIT(31)
#define PLL_PD BIT(0)
#define PLL_POSTDIVPD BIT(3)
#define PLL_VCOPD BIT(5)

#define UART_DR REG(0x40034000u)
#define UART_FR REG(0x40034018u)
#define UART_IBRD REG(0x40034024u)
#define UART_FBRD REG(0x40034028u)
#define UART_LCR_H REG(0x4003402Cu)
#define UART_CR REG(0x40034030u)
#define UART_IFLS REG(0x40034034u)
#define UART_IMSC REG(0x40034038u)
#define UART_ICR REG(0x40034044u)
#define UART_OVERRUN BIT(11)  /* in a word of DR */
#define UART_ANY_ERROR 0xF00ul
#define UART_FR_BUSY BIT(3)
#define UART_FR_RXFE BIT(4)
#define UART_FR_TXFF BIT(5)
#define UART_EIGHT_BITS (3ul << 5)
#define UART_FIFOS BIT(4)
#define UART_ON (BIT(9) | BIT(8) | BIT(0))
#define UART_RX BIT(4)
#define UART_TX BIT(5)
#define UART_RX_TIMEOUT BIT(6)

#define SPI_CR0 REG(0x4003C000u)
#define SPI_CR1 REG(0x4003C004u)
#define SPI_DR REG(0x4003C008u)
#define SPI_SR REG(0x4003C00Cu)
#define SPI_CPSR REG(0x4003C010u)
#define SPI_SR_RNE BIT(2)
#define SPI_ENABLE BIT(1)
#define SPI_EIGHT_BITS 7ul

#define I2C_CON REG(0x40044000u)
#define I2C_TAR REG(0x40044004u)
#define I2C_DATA_CMD REG(0x40044010u)
#define I2C_SS_SCL_HCNT REG(0x40044014u)
#define I2C_SS_SCL_LCNT REG(0x40044018u)
#define I2C_RAW_INTR_STAT REG(0x40044034u)
#define I2C_CLR_TX_ABRT REG(0x40044054u)
#define I2C_ENABLE REG(0x4004406Cu)
#define I2C_STATUS REG(0x40044070u)
#define I2C_SDA_HOLD REG(0x4004407Cu)
#define I2C_MASTER_100KHZ (BIT(0) | BIT(1) | BIT(5) | BIT(6) | BIT(8)) /* restarts, no slave, TX_EMPTY_CTRL */
#define I2C_STOP BIT(9)
#define I2C_TX_ABRT BIT(6)
#define I2C_STATUS_TFE BIT(2)
#define I2C_STATUS_ACTIVE BIT(5)

#define PWM_CSR(slice) REG(0x40050000u + 0x14u * (slice))
#define PWM_DIV(slice) REG(0x40050004u + 0x14u * (slice))
#define PWM_CTR(slice) REG(0x40050008u + 0x14u * (slice))
#define PWM_CC(slice) REG(0x4005000Cu + 0x14u * (slice))
#define PWM_TOP(slice) REG(0x40050010u + 0x14u * (slice))

#define TIMER_ALARM0 REG(0x40054010u)
#define TIMER_RAWL REG(0x40054028u)
#define TIMER_INTR REG(0x40054034u)
#define TIMER_INTE REG(0x40054038u)

#define WATCHDOG_CTRL REG(0x40058000u)
#define WATCHDOG_LOAD REG(0x40058004u)
#define WATCHDOG_REASON REG(0x40058008u)
#define WATCHDOG_SCRATCH(number) REG(0x4005800Cu + 4u * (number))
#define WATCHDOG_TICK REG(0x4005802Cu)
#define WATCHDOG_TRIGGER BIT(31)
#define WATCHDOG_ENABLE BIT(30)
#define WATCHDOG_REASON_FORCE BIT(1)
#define WATCHDOG_REASON_TIMER BIT(0)
#define WATCHDOG_TICK_ENABLE BIT(9)

#define ROSC_RANDOMBIT REG(0x4006001Cu)
#define CHIP_RESET REG(0x40064008u)
#define CHIP_RESET_HAD_POR BIT(8)
#define CHIP_RESET_HAD_RUN BIT(16)

#define DMA_READ_ADDR REG(0x50000000u) /* of channel 0 */
#define DMA_WRITE_ADDR REG(0x50000004u)
#define DMA_TRANS_COUNT REG(0x50000008u)
#define DMA_CTRL_TRIG REG(0x5000000Cu)
#define DMA_ENABLE BIT(0)
#define DMA_WORDS (2ul << 2)
#define DMA_INCR_READ BIT(4)
#define DMA_TREQ_PIO0_TX0 (0ul << 15)

/* USB: memory of both sides, then the controller. */
#define USB_SETUP_WORD(at) REG(0x50100000u + 4u * (at))
#define USB_EP_CTRL(endpoint, is_out) REG(0x50100000u + 8u * (endpoint) + 4u * (is_out)) /* not of endpoint 0 */
#define USB_BUFFER_CTRL(endpoint, is_out) REG(0x50100080u + 8u * (endpoint) + 4u * (is_out))
#define USB_BYTE(offset) (*(volatile uint8_t *)(0x50100000u + (offset)))
#define USB_MEMORY_BYTES 4096u
#define USB_EP_ENABLE BIT(31)
#define USB_EP_INTERRUPT BIT(29) /* after each buffer */
enum { USB_EP_BULK = 2, USB_EP_NOTICE = 3 };
#define USB_EP_KIND(kind) ((uint32_t)(kind) << 26)
#define USB_BUFFER_FULL BIT(15)
#define USB_BUFFER_DATA1 BIT(13)
#define USB_BUFFER_STALL BIT(11)
#define USB_BUFFER_AVAILABLE BIT(10)
#define USB_BUFFER_LENGTH 0x3FFul
#define USB_ADDRESS REG(0x50110000u)
#define USB_MAIN_CTRL REG(0x50110040u)
#define USB_SIE_CTRL REG(0x5011004Cu)
#define USB_SIE_STATUS REG(0x50110050u)
#define USB_BUFF_STATUS REG(0x50110058u) /* two bits an endpoint: in, out */
#define USB_EP_STALL_ARM REG(0x50110068u)
#define USB_MUXING REG(0x50110074u)
#define USB_PWR REG(0x50110078u)
#define USB_INTE REG(0x50110090u)
#define USB_INTS REG(0x50110098u)
#define USB_CONTROLLER BIT(0)
#define USB_EP0_INTERRUPT BIT(29)
#define USB_PULL_UP BIT(16)
#define USB_STATUS_RESET BIT(19)
#define USB_STATUS_SETUP BIT(17)
#define USB_STATUS_SUSPENDED BIT(4)
#define USB_TO_PHY (BIT(0) | BIT(3))
#define USB_HAS_POWER (BIT(2) | BIT(3)) /* detected, whatever a pin says */
#define USB_ON_SETUP BIT(16)
#define USB_ON_SUSPEND BIT(14)
#define USB_ON_RESET BIT(12)
#define USB_ON_BUFFER BIT(4)

#define PIO_CTRL REG(0x50200000u)
#define PIO_TXF0 REG(0x50200010u)
#define PIO_INSTR_MEM(at) REG(0x50200048u + 4u * (at))
#define PIO_SM0_CLKDIV REG(0x502000C8u)
#define PIO_SM0_EXECCTRL REG(0x502000CCu)
#define PIO_SM0_SHIFTCTRL REG(0x502000D0u)
#define PIO_SM0_INSTR REG(0x502000D8u)
#define PIO_SM0_PINCTRL REG(0x502000DCu)

#define SIO_GPIO_IN REG(0xD0000004u)
#define SIO_GPIO_OUT_SET REG(0xD0000014u)
#define SIO_GPIO_OUT_CLR REG(0xD0000018u)
#define SIO_GPIO_OE_SET REG(0xD0000024u)
#define SIO_GPIO_OE_CLR REG(0xD0000028u)

#define NVIC_ISER REG(0xE000E100u)
#define SCB_VTOR REG(0xE000ED08u)
enum { IRQ_TIMER_0 = 0, IRQ_USB = 5, IRQ_UART0 = 20 };

#endif
